import { isObject, type JsonObject } from '../../core/json/values.ts'
import { allPrograms } from '../../programs/all.ts'
import { PHRASE } from '../../programs/phrases.ts'

const TOOL_NAMES: ReadonlySet<string> = new Set(
  allPrograms().flatMap(({ tools }) => Object.values(tools).flat()),
)

const PROGRAM_NAMES: ReadonlySet<string> = new Set(
  allPrograms().flatMap(({ names, adapter }) => [...names, ...(adapter ? [adapter.name] : [])]),
)

/** Whether the text is the name of a program or of a tool. */
export function isKnownName(text: string): boolean {
  return TOOL_NAMES.has(text) || PROGRAM_NAMES.has(text)
}

/** The pattern of the tools' names that are no words of a language. The longest comes first. */
const KNOWN_NAME: string = [...TOOL_NAMES]
  .filter((name) => /[a-z][A-Z_]/.test(name))
  .sort((left, right) => right.length - left.length)
  .join('|')

const META_KEYS = allPrograms().flatMap(({ adapter }) => adapter?.metaKeys ?? [])

/** Whether the name of a field is one of a program's own. */
export function isOwnField(name: string): boolean {
  return META_KEYS.some((key) => name.startsWith(key))
}

/** Replaces what a text says. */
export interface Scrubber {
  /** Replaces words and ids. Each letter of a word becomes an `x`, so a piece of a text gets the same letters as the whole. */
  words(text: string, field?: string): string
  /** Replaces ids alone. */
  ids(text: string): string
  /** The types of the session's agents. */
  readonly agentTypes: ReadonlySet<string>
}

/** The fields with models and their providers. The date of a model is no id. */
export const MODEL_FIELD = /(?:model(?:_?(?:id|name))?|^provider(?:_?id)?)$/i

/** The fields with the types of agents. */
const AGENT_TYPE_FIELD = /(?:agent_?(?:type|role)|agent_name|^agent)$/i

/** The place of a value. */
export interface Place {
  readonly field: string
  /** Whether it belongs to the call or the result of a tool, whose fields anybody may have named. */
  readonly isForeign: boolean
  /** Whether it is in JSON in a text, which anybody may have written. */
  readonly isQuoted?: boolean
  /** Whether it belongs to a call that starts an agent. */
  readonly isAgentCall?: boolean
}

/** The fields with the calls and the results of tools. */
const FOREIGN = /* @__PURE__ */ new RegExp(
  '^(?:input|arguments|args|parameters|raw_?input|output|raw_?output|tool_?use_?result' +
    '|tool_?(?:input|response|result)|structured_?content|result)$',
  'i',
)

const AGENT_TOOLS: ReadonlySet<unknown> = new Set(allPrograms().flatMap(({ tools }) => tools.agent ?? []))

/** Returns the place of a field's value. The result of a request of the connection is no tool's. */
export function placeIn(owner: JsonObject, field: string, place: Place): Place {
  if (place.isForeign || 'jsonrpc' in owner || !FOREIGN.test(field)) return { ...place, field }
  const isAgentCall = [owner.name, owner.toolName, owner.tool].some((name) => AGENT_TOOLS.has(name))
  return { ...place, field, isForeign: true, isAgentCall }
}

/** Whether a place may have the type of an agent, in words of the program. */
export function hasAgentType({ field, isForeign, isQuoted, isAgentCall }: Place): boolean {
  return (isAgentCall || !(isForeign || isQuoted)) && AGENT_TYPE_FIELD.test(field)
}

/** An id, a hash or a key: letters and digits without a space. */
const LONG_ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?<![A-Za-z\d])(?=[A-Za-z]*\d)[A-Za-z\d]{8,}/g

/** A time, as programs write it. */
const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/

/** The fields with ids, and with the names and labels that other fields repeat. */
const ID_FIELD = /(?:^|_)ids?$|[a-z]I[dD]s?$|^(?:label|name)$/

/** The words that programs put into ids. */
const ID_WORDS: ReadonlySet<string> = new Set(
  `accept agent allow always call cancel chatcmpl completed deny exec item main message msg once proceed prompt prt reject req resp root
  ses session step subagent task tool toolu turn`.split(/\s+/),
)

const PART = new RegExp(
  [
    `(?<phrase>${PHRASE})`,
    LONG_ID.source,
    `(?<![A-Za-z])(?<name>${KNOWN_NAME})(?![A-Za-z])`,
    '[A-Za-z\\d]+',
    '\\p{L}+',
  ].join('|'),
  'gu',
)

/**
 * Returns what scrubs the texts of a session. The new ids have the order and the length of the old ones, because
 * programs sort by them. The phrases and the names of tools stay.
 */
export function scrubberOf(values: Iterable<unknown>): Scrubber {
  const agentTypes = new Set<string>()
  const ids = newIds(values, agentTypes)
  return {
    agentTypes,
    ids: (text) => text.replace(LONG_ID, (id) => ids.get(id) ?? id),
    words(text, field = '') {
      if (TIME.test(text)) return text
      const isId = ID_FIELD.test(field)
      return text.replace(PART, (part, ...rest) => {
        const { phrase, name } = Object(rest.at(-1))
        if (phrase !== undefined || name !== undefined) return part
        const isInId = isId || /[-_]/.test(text[Number(rest.at(-3)) + part.length] ?? '')
        return isInId && (ID_WORDS.has(part) || isKnownName(part)) ? part : (ids.get(part) ?? masked(part))
      })
    },
  }
}

/** Words of one or two letters say little, and options of commands and parts of ids have such. */
function masked(word: string): string {
  if (word.length < 3) return word
  return word.replace(/\p{L}/gu, (letter) => (/\p{Lu}/u.test(letter) ? 'X' : 'x'))
}

/** Numbers the ids of a session in their order, those of each length by themselves: a short id has no place for a great number. */
function newIds(values: Iterable<unknown>, agentTypes: Set<string>): ReadonlyMap<string, string> {
  const found = new Set<string>()
  for (const value of values) addIds(value, { field: '', isForeign: false }, { found, agentTypes })
  const counts = new Map<string, number>()
  const nextNumber = (id: string): number => {
    const kind = `${placesIn(id)} ${isWord(id)}`
    const number = (counts.get(kind) ?? 0) + 1
    counts.set(kind, number)
    return number
  }
  const ids = new Map([...found].sort().map((id) => [id, numbered(id, nextNumber(id))]))
  for (const id of found) {
    // The id of a teammate is `a`, its name and a hash.
    const name = id.startsWith('a') ? ids.get(id.slice(1)) : undefined
    if (name !== undefined) ids.set(id, `a${name}`)
  }
  return ids
}

interface FoundWords {
  readonly found: Set<string>
  readonly agentTypes: Set<string>
}

function addIds(value: unknown, place: Place, words: FoundWords): void {
  const { found, agentTypes } = words
  const { field } = place
  if (typeof value === 'string') {
    if (hasAgentType(place)) agentTypes.add(value)
    addIdsOf(value, ID_FIELD.test(field) && !MODEL_FIELD.test(field), found)
  } else if (Array.isArray(value)) for (const item of value) addIds(item, place, words)
  else if (isObject(value))
    for (const [name, item] of Object.entries(value)) {
      addIdsOf(name, false, found)
      addIds(item, placeIn(value, name, place), words)
    }
}

/** The texts in the statements of a plan that its program keeps in a database. They have its ids. */
const IN_STATEMENT = /(?<=')[a-z][\w-]*(?=')/g

function addIdsOf(text: string, isId: boolean, found: Set<string>): void {
  if (TIME.test(text)) return
  for (const [id] of text.matchAll(LONG_ID)) found.add(id)
  if (/\b(?:INSERT|UPDATE|DELETE)\b/i.test(text))
    for (const [id] of text.matchAll(IN_STATEMENT)) addIdsOf(id, true, found)
  if (!isId || !/^[\w.:/@-]{1,80}$/.test(text)) return
  for (const [part] of text.replace(LONG_ID, '-').matchAll(/[A-Za-z\d]{3,}/g))
    if (/[A-Za-z]/.test(part) && !ID_WORDS.has(part) && !isKnownName(part)) found.add(part)
}

/** Writes the number into the places of the id's letters and digits, from the end on. An id without a digit gets letters. */
function numbered(id: string, number: number): string {
  const places = placesIn(id)
  const digits = isWord(id) ? inLetters(number).padStart(places, 'a') : String(number).padStart(places, '0')
  let at = digits.length - places
  return id.replace(/[A-Za-z\d]/g, () => digits[at++] ?? '0')
}

function placesIn(id: string): number {
  return id.replaceAll('-', '').length
}

function isWord(id: string): boolean {
  return /^[A-Za-z]+$/.test(id)
}

function inLetters(number: number): string {
  return number
    .toString(26)
    .replace(/./g, (digit) => 'abcdefghijklmnopqrstuvwxyz'[Number.parseInt(digit, 26)] ?? 'a')
}
