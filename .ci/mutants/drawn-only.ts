import { draw } from './draw.ts'

/** As Stryker hands it to a checker. */
type Mutant = { readonly id: string }
type Verdict = { status: 'passed' } | { status: 'compileError'; reason: string }

const seed = process.env['BROADGAUGE_MUTANTS_SEED'] ?? ''
const count = Number(process.env['BROADGAUGE_MUTANTS'])

/**
 * A checker of Stryker's, which says of a mutant before it is run that it is not worth running: here, that it was not drawn.
 * Mutants that no test reaches do not come here; main.ts draws the same way from all.
 */
class DrawnOnly {
  readonly #drawn = new Set<string>()

  async init(): Promise<void> {}

  /** Gets all mutants at once, before any is checked. */
  async group(mutants: readonly Mutant[]): Promise<string[][]> {
    for (const { id } of draw(mutants, seed, count)) this.#drawn.add(id)
    return [mutants.map(({ id }) => id)]
  }

  async check(mutants: readonly Mutant[]): Promise<Record<string, Verdict>> {
    const verdict = (id: string): Verdict =>
      this.#drawn.has(id) ? { status: 'passed' } : { status: 'compileError', reason: 'not drawn' }
    return Object.fromEntries(mutants.map(({ id }) => [id, verdict(id)]))
  }
}

export const strykerPlugins = [{ kind: 'Checker', name: 'drawn-only', injectableClass: DrawnOnly }]
