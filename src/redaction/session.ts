import { asString } from '../core/json/values.ts'
import type { DiffHunk } from '../core/state/file-change.ts'
import type { SessionConversationState } from '../core/state/session.ts'
import { redactAddress, redactEncoded } from './encoded-files.ts'
import type { Redact } from './options.ts'
import { redactVisible } from './printable.ts'
import { redactValue } from './values.ts'

/** Views compare and link by these fields of a state. They hold no words. */
const STRUCTURE: ReadonlySet<string> = new Set([
  ...['type', 'status', 'kind', 'id', 'conversationId', 'toolUseId', 'messageId', 'parentConversationId'],
  ...['agentId', 'runId', 'formerId', 'launchedBy', 'blockId', 'blockIds', 'branchId'],
  ...['openBlocks', 'origin', 'timestamp', 'mediaType', 'startedAt', 'endedAt'],
])

/** JSON of the program, whose fields may have the names of a state's fields. */
const FOREIGN: ReadonlySet<string> = new Set(['input', 'output', 'data'])

/**
 * Redacts every text of sessions, before anything cuts or changes it: the lines of a diff together, each list of arguments, and each value
 * with its name. A part that did not change since the last state keeps its reference, and so does a part in which nothing is hidden.
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
 * Returns a session with redacted texts: the lines of a diff together, each list of arguments, and each value with its name, also in the inputs and outputs of
 * tools. Ids, types and times stay. `redact` is `redactAll` or a function of your own. A text that still grows may end in half of a key, which no rule knows.
 */
export function redactSession(state: SessionConversationState, redact: Redact): SessionConversationState {
  return new SessionRedaction(redact).redact(state)
}
