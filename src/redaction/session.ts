import { EVENT } from '../core/events/event.ts'
import { wordlessFields } from '../core/json/shape.ts'
import { asString, isObject, isString, type JsonObject } from '../core/json/values.ts'
import type { DiffHunk } from '../core/state/file-change.ts'
import { stateShape } from '../core/state/restore-state.ts'
import type { SessionConversationState } from '../core/state/session.ts'
import { KEY, SECRET } from './marks.ts'
import type { Redact } from './options.ts'
import { redactVisible } from './printable.ts'
import { isBinary, redactAddress, redactEncoded } from './private-keys.ts'
import { redactWords } from './words.ts'

/** Views compare and link by these fields of a state or an event. They hold no words. */
const STRUCTURE: ReadonlySet<string> = /* @__PURE__ */ wordlessFields([stateShape(), EVENT])

/** JSON of the program, whose fields may have the names of a state's fields. */
const FOREIGN: ReadonlySet<string> = new Set(['input', 'output', 'data'])

/**
 * Redacts every text of sessions, before anything cuts or changes it: the lines of a diff together, each list of
 * arguments, and each value with its name. A part that did not change since the last state keeps its reference, and
 * so does a part in which nothing is hidden.
 */
export class SessionRedaction {
  readonly #redact: Redact
  /** Each part of a state beside its redacted form. */
  readonly #known = new WeakMap<object, unknown>()

  constructor(redact: Redact) {
    this.#redact = (text) => redactVisible(text, redact)
  }

  /** Returns a state, an event or a block with redacted texts. */
  redact<Part extends object>(part: Part): Part {
    const changes = this.#changes(part)
    return changes.length === 0 ? part : { ...part, ...Object.fromEntries(changes) }
  }

  #changes(part: object): readonly (readonly [key: string, value: unknown])[] {
    return Object.entries(part).flatMap(([key, value]) => {
      const redacted = this.#field(key, value, part)
      return redacted === value ? [] : [[key, redacted] as const]
    })
  }

  #field(key: string, value: unknown, part: object): unknown {
    if (STRUCTURE.has(key)) return value
    if ('type' in part && part.type === 'base64' && 'mediaType' in part && key === 'data')
      return redactEncoded(asString(value) ?? '', asString(part.mediaType) ?? '', this.#redact)
    if (key === 'url' && typeof value === 'string') return redactAddress(value, this.#redact)
    if (FOREIGN.has(key)) return redactValue(value, this.#redact)
    return this.#value(value)
  }

  #value(value: unknown): unknown {
    if (typeof value === 'string') return this.#redact(value)
    if (typeof value !== 'object' || value === null) return value
    const known = this.#known.get(value)
    if (known !== undefined) return known
    const redacted = this.#part(value)
    this.#known.set(value, redacted)
    return redacted
  }

  #part(part: object): object {
    if (!Array.isArray(part)) return isHunk(part) ? this.#hunk(part) : this.redact(part)
    const items = part.map((item) => this.#value(item))
    return items.some((item, at) => item !== part[at]) ? items : part
  }

  /** A key has several lines. The counts are those of the lines that stay. */
  #hunk(hunk: DiffHunk): DiffHunk {
    const text = hunk.lines.join('\n')
    const redacted = this.#redact(text)
    if (redacted === text) return hunk
    const lines = redacted.split('\n')
    const count = (mark: string) =>
      lines.filter((line) => !line.startsWith(mark) && !line.startsWith('\\')).length
    return { ...hunk, lines, oldLines: count('+'), newLines: count('-') }
  }
}

function isHunk(value: object): value is DiffHunk {
  return 'oldStart' in value && 'lines' in value && Array.isArray(value.lines)
}

/**
 * Returns a session with redacted texts. It redacts the lines of a diff together, each list of arguments, and each value with
 * its name, also in the inputs and outputs of tools. Ids, types and times stay. `redact` is `redactAll` or a function
 * of your own. A text that still grows may end in half of a key, which no rule knows.
 */
export function redactSession(state: SessionConversationState, redact: Redact): SessionConversationState {
  return new SessionRedaction(redact).redact(state)
}

/** Redacts a JSON value: its texts, the names of its fields, lists of arguments, and values whose name says that they are secrets. */
export function redactValue(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) {
    if (value.every(isString)) return redactWords(value, redact)
    return value.map((item) => redactValue(item, redact))
  }
  return isObject(value) ? redactFields(value, redact) : value
}

function redactFields(fields: JsonObject, redact: Redact): JsonObject {
  const mediaType = [fields.media_type, fields.mimeType, fields.mediaType].find(isString)
  const named = namedValue(fields)
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      if (mediaType !== undefined && isString(value) && BYTES.includes(key))
        return [key, redactBytes(value, mediaType, redact)]
      const name = key === named?.field ? named.name : key
      if (isString(value) && isString(fields.kty) && isPrivateMember(key, value, redact)) return [key, KEY]
      return [
        redact(key),
        namesSecret(name, redact) ? redactNamed(name, value, redact) : redactValue(value, redact),
      ]
    }),
  )
}

/** Whether the redaction hides the member of a JSON Web Key. The type of the key says what `d` means. */
function isPrivateMember(key: string, value: string, redact: Redact): boolean {
  return !redact(JSON.stringify({ kty: '', [key]: value })).includes(value)
}

/** The fields with the bytes of a file. A rule could take a part of an image for a key. */
const BYTES: readonly string[] = ['data', 'blob']

/** The bytes may be a text that is not in base64. */
function redactBytes(value: string, mediaType: string, redact: Redact): string {
  const redacted = redactEncoded(value, mediaType, redact)
  return redacted === value && !isBinary(mediaType) ? redact(value) : redacted
}

const NAMES: readonly string[] = ['name', 'key', 'header', 'field', 'variable', 'env', 'Name', 'Key']
const VALUES: readonly string[] = ['value', 'val', 'Value', 'default', 'content']

/** Returns the name and the field of the value in an object such as `{ name: 'Authorization', value: 'x' }`. */
function namedValue(fields: JsonObject): { readonly name: string; readonly field: string } | undefined {
  const name = NAMES.map((key) => fields[key]).find(isString)
  const field = VALUES.find((key) => Object.hasOwn(fields, key))
  return name === undefined || field === undefined ? undefined : { name, field }
}

/** Values that no rule finds by themselves. A cookie has a name of its own. */
const SAMPLES: readonly string[] = ['x1y2z3x1y2z3x1y2', 'a=x1y2z3x1y2z3x1y2']

/** Whether the redaction hides values of such a name. A value alone does not show whose it is. */
function namesSecret(name: string, redact: Redact): boolean {
  return (
    name.length < 200 &&
    SAMPLES.some((sample) => !redact(JSON.stringify({ [name]: sample })).includes(sample))
  )
}

/** Redacts what stands under the name of a secret. Code and placeholders stay, as they do in a text. */
function redactNamed(name: string, value: unknown, redact: Redact): unknown {
  if (typeof value === 'string' || typeof value === 'number') return redactPair(name, value, redact)
  if (Array.isArray(value)) return value.map((item) => redactNamed(name, item, redact))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redact(key),
      VALUES.includes(key) ? redactNamed(name, item, redact) : redactValue(item, redact),
    ]),
  )
}

function redactPair(name: string, value: string | number, redact: Redact): string | number {
  const shown = typeof value === 'string' ? redact(value) : value
  const pair = redact(`${JSON.stringify(name)}:${JSON.stringify(value)}`)
  return pair.includes(JSON.stringify(shown)) || pair.includes(JSON.stringify(value)) ? shown : SECRET
}
