import { nothing, stateText, type Timeline } from './timeline-model.ts'
import type { AgentPlan } from './timeline-sequences.ts'

/** Counts how often the important cases occurred. A change of several agents counts once per agent. */
export class Coverage {
  readonly counts = {
    changes: 0,
    backdated: 0,
    equalDay: 0,
    sinceEver: 0,
    overwriteAll: 0,
    overwriteEmpty: 0,
    ispOnly: 0,
    packageRemoved: 0,
    keyRemoved: 0,
    noOp: 0,
    boundaryRemoved: 0,
  }

  /** `history` contains the timeline before the first change, after the first change, and so on. */
  add(plan: AgentPlan, history: readonly Timeline[]): void {
    for (const [index, { change: made }] of plan.entries()) {
      const before = (history[index] ?? []).slice(made.day)
      const after = (history[index + 1] ?? []).slice(made.day)
      const eve = textAt(history[index], made.day - 1)
      const earlierDays = plan.slice(0, index).map((one) => one.change.day)
      const removedKeys = Object.keys(made.custom ?? {}).filter((key) => made.custom?.[key] === null)
      const ispOnly = made.package?.package === null
      this.counts.changes += 1
      this.counts.backdated += Number(earlierDays.some((earlier) => earlier > made.day))
      this.counts.equalDay += Number(earlierDays.includes(made.day))
      this.counts.sinceEver += Number(made.day === 0)
      this.counts.overwriteAll += Number(made.overwriteAll)
      this.counts.overwriteEmpty += Number(made.overwriteAll && !made.package && !made.zone && !made.custom)
      this.counts.ispOnly += Number(ispOnly)
      this.counts.packageRemoved += Number(ispOnly && before.some((state) => state.package !== null))
      this.counts.keyRemoved += Number(removedKeys.some((key) => before.some((state) => key in state.custom)))
      this.counts.boundaryRemoved += Number(
        eve !== textAt(history[index], made.day) && eve === textAt(history[index + 1], made.day),
      )
      this.counts.noOp += Number(before.every((state, at) => stateText(state) === stateText(after[at] ?? state)))
    }
  }
}

const textAt = (timeline: Timeline | undefined, place: number): string => stateText(timeline?.[place] ?? nothing)
