import { omitUndefined } from '../../core/json/fields.ts'
import type { SessionSummary } from '../list/session-summary.ts'
import type { MatchKind, SearchMatch } from '../search/matches.ts'

/** A place that a search has found. */
export interface FoundMatch {
  /** The id of the session. */
  readonly session: string
  /** The argument for `readSession`. */
  readonly path: string
  readonly format: SessionSummary['format']
  readonly title?: string
  /** The id of the block. Absent for a title and for the name of an agent. */
  readonly block?: string
  readonly kind: MatchKind
  /** The tool of a call. */
  readonly tool?: string
  /** The input of that call. */
  readonly input?: unknown
  /** Whether the call failed. */
  readonly failed?: true
  /** The exit code of the call's command. */
  readonly exit?: number
  readonly place: MatchPlace
  /** The text around the match, on one line or several. */
  readonly excerpt: string
}

/** The conversation and the time of a match. */
export interface MatchPlace {
  /** `'main'` or the `toolUseId` of an agent. */
  readonly conversationId: string
  /** The name or the description of the agent. Absent for main. */
  readonly agent?: string
  /** ISO 8601. */
  readonly timestamp?: string
}

/** Returns a match with its session. */
export function foundMatch(
  { id, path, format, title }: SessionSummary,
  { kind, blockId, call, failed, exit, conversationId, agent, timestamp, context }: SearchMatch,
): FoundMatch {
  return omitUndefined({
    ...{ session: id, path, format, title, block: blockId, kind },
    ...{ tool: call?.toolName, input: call?.input, failed, exit },
    place: omitUndefined({ conversationId, agent, timestamp }),
    excerpt: context.join(''),
  })
}
