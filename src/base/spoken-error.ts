/** An error whose message is all a person needs: what is wrong and what to do. Shown without a trace. */
export class SpokenError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = new.target.name
  }
}
