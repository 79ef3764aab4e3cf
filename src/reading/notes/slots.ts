/** An object whose fields are places in a list. V8 copies a list ten times faster than an object with many fields. */
abstract class Slots {
  readonly slots: unknown[]

  constructor(slots: unknown[]) {
    this.slots = slots
  }

  abstract copy(): Slots
}

/** Returns an object with the same fields, in slots. */
export function slotsOf<Values extends object>(initial: Values): Values
export function slotsOf(initial: object): object {
  class OwnSlots extends Slots {
    copy(): Slots {
      return new OwnSlots([...this.slots])
    }
  }
  for (const [at, name] of Object.keys(initial).entries())
    Object.defineProperty(OwnSlots.prototype, name, {
      get(this: Slots): unknown {
        return this.slots[at]
      },
      set(this: Slots, value: unknown) {
        this.slots[at] = value
      },
    })
  return new OwnSlots(Object.values(initial))
}

/** Returns a copy of an object with slots, with some other values. */
export function copyOfSlots<Values extends object>(values: Values, changes?: Partial<Values>): Values
export function copyOfSlots(values: object, changes?: object): object {
  return Object.assign(values instanceof Slots ? values.copy() : { ...values }, changes)
}
