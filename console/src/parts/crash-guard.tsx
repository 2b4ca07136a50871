import { Component, type ReactNode } from 'react'

type Props = { children: ReactNode }
type State = { failure: Error | null }

/** A fault of ours in one page must not leave a blank one: the address still holds what the reader had chosen. */
export class CrashGuard extends Component<Props, State> {
  override state: State = { failure: null }

  static getDerivedStateFromError(failure: Error): State {
    return { failure }
  }

  override render(): ReactNode {
    const { failure } = this.state
    if (failure === null) return this.props.children
    return (
      <div className="notice error" role="alert">
        <strong>The console has a fault.</strong>
        <p>
          Your data are not concerned. Load the page again; if it stays so, tell your operator what you did, and this:
        </p>
        <p>
          <code>{failure.message}</code>
        </p>
        <button type="button" onClick={() => location.reload()}>
          Load again
        </button>
      </div>
    )
  }
}
