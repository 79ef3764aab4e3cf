import { compositeKey } from '../../json/composite-key.ts'
import { type JoinFault, LawError, type LawPlace } from '../law-error.ts'

/** The most faults that an error lists. */
const MAX_FAULTS = 20

type FoundFault = Omit<JoinFault, 'count'> & { readonly place: LawPlace; readonly cause?: unknown }

/** The faults of all joins, each with the first join that has it. A fault mostly shows at many cuts and in many ways. */
export class JoinFaults {
  readonly #found = new Map<string, FoundFault>()
  readonly #counts = new Map<string, number>()

  add(fault: FoundFault): void {
    const key = compositeKey(fault.code, fault.part)
    if (!this.#found.has(key)) this.#found.set(key, fault)
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  /** Throws a `LawError` of the first fault, with a list of all. */
  throwIfAny(): void {
    const [first] = this.#found.values()
    if (!first) return
    const faults = [...this.#found].slice(0, MAX_FAULTS).map(([key, { place, cause, ...fault }]) => ({
      ...fault,
      count: this.#counts.get(key) ?? 0,
    }))
    const { code, cut, part, ...facts } = first
    throw new LawError(code, cut, { ...facts, faults, moreFaults: this.#found.size - faults.length })
  }
}
