/** A turn of a recording, as it comes again and again in a long session. */
export interface Turn {
  /** The JSON text of each message. */
  readonly messages: readonly string[]
  /** The ids of the session itself, which stay the same. */
  readonly kept: ReadonlySet<string>
  /** The field that names the message before, if messages form a chain. Its name, and that of the message's own id. */
  readonly chain?: { readonly parent: string; readonly own: string } | undefined
  /** Numbers that count on from turn to turn. */
  readonly counters?: readonly string[] | undefined
  /** Texts that differ from turn to turn, beside the ids. */
  readonly texts?: readonly string[] | undefined
}

const ID_FIELD = /(?:^|_|[a-z])(?:id|ids|Id|Ids|ID|IDs|uuid|Uuid|UUID)$/
const SESSION_FIELD = /^(?:session_?id|thread_?id|conversation_?id)$/i
/** Shorter strings occur in texts too. */
const MIN_ID_LENGTH = 5

/** Returns the strings that are ids, by the names of their fields. */
export function idsIn(value: unknown, isWanted: (name: string) => boolean = isIdField): Set<string> {
  const ids = new Set<string>()
  const visit = (part: unknown, name: string): void => {
    if (typeof part === 'string') {
      if (isWanted(name) && part.length >= MIN_ID_LENGTH && !part.includes(' ')) ids.add(part)
    } else if (Array.isArray(part)) for (const item of part) visit(item, name)
    else if (typeof part === 'object' && part !== null)
      for (const [key, item] of Object.entries(part)) visit(item, key)
  }
  visit(value, '')
  return ids
}

const isIdField = (name: string) => ID_FIELD.test(name)

/** Returns the first session's id in the messages: those of agents come later. */
export function sessionIdIn(messages: readonly unknown[]): ReadonlySet<string> {
  const [first] = idsIn(messages, (name) => SESSION_FIELD.test(name))
  return new Set(first === undefined ? [] : [first])
}

/** An hour lies between two turns. */
const TURN_MS = 3_600_000
const ISO_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?(?:\d{3,6})?Z/g
const MS_TIME = /\b1[67]\d{11}\b/g
const SECONDS_TIME = /(?<=[:[])1[67]\d{8}(?=[.,}\]])/g
/** OpenCode's ids ascend, so the number stands before the rest. */
const ASCENDING_ID = /^(?:msg|prt|evt)_(?=[0-9a-f]{12})/

/** Returns a function that makes the turn anew: under other ids, an hour later, behind the turn before. */
export function renewing(turn: Turn): (at: number) => readonly string[] {
  const parsed: readonly unknown[] = turn.messages.map((text) => JSON.parse(text))
  const ids = [...idsIn(parsed), ...(turn.texts ?? [])].filter((id) => !turn.kept.has(id))
  const anyId = new RegExp(
    ids
      .sort((left, right) => right.length - left.length)
      .map((id) => id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('|') || '(?!)',
    'g',
  )
  const idAt = (id: string, at: number) => {
    const [prefix] = ASCENDING_ID.exec(id) ?? []
    const number = at.toString(16).padStart(6, '0')
    return prefix ? `${prefix}${number}${id.slice(prefix.length)}` : `${id}${at}x`
  }
  const { chain } = turn
  const last =
    chain && parsed.map((message) => fieldOf(message, chain.own)).findLast((id) => id !== undefined)
  const counter = new RegExp(`(?<="(?:${(turn.counters ?? []).join('|') || '(?!)'})":)\\d+`, 'g')
  const templates = turn.messages.map((text) =>
    [
      split(anyId, (id) => (at) => idAt(id, at)),
      split(ISO_TIME, (time) => (at) => laterIso(time, at)),
      split(MS_TIME, (time) => (at) => `${Number(time) + at * TURN_MS}`),
      split(SECONDS_TIME, (time) => (at) => `${Number(time) + (at * TURN_MS) / 1_000}`),
      split(counter, (number) => (at) => `${Number(number) + at * 1_000}`),
    ].reduce((parts, splitAll) => parts.flatMap(splitAll), [text] as readonly Part[]),
  )
  const renewed = (parts: readonly Part[], at: number) =>
    parts.map((part) => (typeof part === 'string' ? part : part(at))).join('')
  return (at) =>
    templates.map((parts) => {
      const message = renewed(parts, at)
      if (!chain || last === undefined || at === 0) return message
      return message.replace(`"${chain.parent}":null`, `"${chain.parent}":"${idAt(last, at - 1)}"`)
    })
}

/** A part of a text: the same in each turn, or another one in each. */
type Part = string | ((at: number) => string)

/** Returns a function that replaces the matches in the parts that stay the same. */
function split(pattern: RegExp, replacement: (match: string) => Part): (part: Part) => readonly Part[] {
  return (part) => {
    if (typeof part !== 'string') return [part]
    const parts: Part[] = []
    let end = 0
    for (const { 0: match, index } of part.matchAll(pattern)) {
      parts.push(part.slice(end, index), replacement(match))
      end = index + match.length
    }
    return [...parts, part.slice(end)]
  }
}

function laterIso(time: string, at: number): string {
  const [seconds = '', rest = ''] = [time.slice(0, 19), time.slice(19)]
  return new Date(Date.parse(`${seconds}Z`) + at * TURN_MS).toISOString().slice(0, 19) + rest
}

function fieldOf(message: unknown, name: string): string | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  const value: unknown = Reflect.get(message, name)
  return typeof value === 'string' ? value : undefined
}
