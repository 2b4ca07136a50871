import type { Bases } from '../api/settings.ts'

type Props = { bases: Bases; onChange: (bases: Bases) => void }

/** Base addresses of the interfaces. The default is the service that served the page. */
export function OtherAddress({ bases, onChange }: Props) {
  return (
    <details>
      <summary>Another address</summary>
      <label className="field">
        Address of the data interface
        <input
          type="url"
          required
          value={bases.dataBaseUrl}
          onChange={(event) => onChange({ ...bases, dataBaseUrl: event.target.value })}
        />
      </label>
      <label className="field">
        Address of the metadata interface
        <input
          type="url"
          required
          value={bases.metadataBaseUrl}
          onChange={(event) => onChange({ ...bases, metadataBaseUrl: event.target.value })}
        />
      </label>
      <p className="hint">
        For another service, its operator lists <code>{location.origin}</code> in BROADGAUGE_CORS_ORIGINS, and the
        operator of this one lists the other’s origin in BROADGAUGE_CONSOLE_ORIGINS.
      </p>
    </details>
  )
}
