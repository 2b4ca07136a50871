import type { Metadata, Preview } from '../api/metadata.ts'
import { agents, count } from '../chart/numbers.ts'

type Props = {
  preview: Preview
  /** True if the change was sent but no response arrived: the change may or may not have been applied. */
  isFailed: boolean
  onMake: () => void
}

/** Shows the metadata of the first agents before and after the change, and the button that applies the change. */
export function PreviewTable({ preview: { matched, sample }, isFailed, onMake }: Props) {
  return (
    <section className="preview" aria-label="Preview">
      <p role="status">
        <strong>{agents(matched)}</strong> would change
        {matched > sample.length ? `; the first ${count(sample.length)} of them:` : ':'}
      </p>
      <div className="table-frame" tabIndex={0} role="region" aria-label="Before and after">
        <table>
          <thead>
            <tr>
              {['Agent', 'Unit', 'Field', 'Before', 'After'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sample.flatMap(({ agent_id: agent, unit_id: unit, before, after }) =>
              differences(before, after).map(([field, was, becomes]) => (
                <tr key={`${agent} ${field}`}>
                  <td>{agent}</td>
                  <td>{unit}</td>
                  <td>{field}</td>
                  <td>{was}</td>
                  <td>{becomes}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </div>
      <p className="row">
        <button type="button" className="primary" onClick={onMake}>
          {isFailed ? 'Send it again' : `Change ${agents(matched)}`}
        </button>
        {isFailed && <span className="hint">It is safe: the change is made once, however often it is sent.</span>}
      </p>
    </section>
  )
}

type Difference = readonly [field: string, was: string, becomes: string]

/** The fields that differ between `before` and `after`. A change that concerns only past days has no difference today. */
function differences(before: Metadata, after: Metadata): readonly Difference[] {
  const [was, becomes] = [fields(before), fields(after)]
  const changed = [...new Set([...Object.keys(was), ...Object.keys(becomes)])]
    .filter((name) => was[name] !== becomes[name])
    .map((name): Difference => [name, text(was[name]), text(becomes[name])])
  return changed.length === 0 ? [['nothing of today', '', 'the same']] : changed
}

const fields = (one: Metadata): Record<string, unknown> => ({
  package: one.package,
  isp: one.isp,
  timezone: one.timezone,
  ...Object.fromEntries(Object.entries(one.custom).map(([key, value]) => [`custom ${key}`, JSON.stringify(value)])),
})

const text = (value: unknown): string => (typeof value === 'string' ? value : 'none')
