import { compareStrings } from '../../core/json/order.ts'
import { isObject } from '../../core/json/values.ts'
import type { SessionConversationState } from '../../core/state/session.ts'

/** The values of tools, whose fields may be ids. */
const FOREIGN = /^(?:input|output|data)$/

/** The lines of a file change. Two lines of one length are equal without their words. */
const LINES = /^(?:hunks|added|removed)$/

const KEPT = /^(?:type|status|kind|origin|subtype|program|protocol|version)$/

const IDS = /^(?:id|\w+Id|\w+Ids|code)$/

/** Returns a state without its words: ids are numbered in their order, and each other text is its length. Two sessions of one shape have equal values. */
export function sessionShape(state: SessionConversationState): string {
  const ids = new Map<string, number>()
  const numberOf = (id: string) => {
    const number = ids.get(id) ?? ids.size
    ids.set(id, number)
    return number
  }
  return JSON.stringify(state, (name, value) => {
    if (FOREIGN.test(name)) return typeof value
    if (LINES.test(name)) return undefined
    if (isObject(value)) return sorted(value)
    if (typeof value !== 'string' || KEPT.test(name)) return value
    return IDS.test(name) ? numberOf(value) : value.length
  })
}

function sorted(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => compareStrings(left, right)))
}
