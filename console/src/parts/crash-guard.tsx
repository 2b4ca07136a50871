import { Component, type ReactNode } from 'react'

type Props = { children: ReactNode }
type State = { failure: Error | null }

/** Shows a message if a page crashes, instead of a blank screen. The address still contains the user's state. */
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
        <strong>The console has crashed.</strong>
        <p>
          Your data is not affected. Load the page again; if this continues, tell your operator what you did, and this:
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
