import { draw } from './draw.ts'

/** A mutant as Stryker passes it to a checker. */
type Mutant = { readonly id: string }
type Verdict = { status: 'passed' } | { status: 'compileError'; reason: string }

const seed = process.env['BROADGAUGE_MUTANTS_SEED'] ?? ''
const count = Number(process.env['BROADGAUGE_MUTANTS'])

/**
 * A Stryker checker, which can skip a mutant before the tests run. This checker skips the mutants that were not drawn. Stryker
 * does not pass mutants without test coverage to a checker. So main.ts repeats the same draw over all mutants.
 */
class DrawnOnly {
  readonly #drawn = new Set<string>()

  async init(): Promise<void> {}

  /** Stryker calls this with all mutants, before it checks any of them. */
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
