import { createHash } from 'node:crypto'
import { omitUndefined } from '../../../core/json/fields.ts'
import type { SessionConversationState } from '../../../core/state/session.ts'
import { redactVisible } from '../../../redaction/printable.ts'
import { redactAll } from '../../../redaction/redactions.ts'
import { redactSession } from '../../../redaction/session.ts'
import type { SessionSummary } from '../../list/session-summary.ts'
import { searchedTexts } from '../../search.ts'
import { keptRow } from '../kept-row.ts'
import { detailsOf, NO_DETAILS } from '../session-details.ts'
import { placeInRepository, type SessionFolders } from '../session-filter.ts'
import { type KeptRow, type RowFacts, rowFacts } from '../session-row.ts'
import { SignatureMaker } from '../text-signature.ts'

/** The facts of a session of another machine. */
export interface PushedFacts extends RowFacts, SessionFolders {
  readonly changedAt: number
}

/** A session as a database keeps it: its facts and values as JSON. */
export interface PushedSession {
  readonly key: string
  readonly id: string
  readonly facts: string
  readonly row: string
  readonly parts: string
  readonly tools: string
  readonly details: string
  readonly signature: Uint8Array
  /** Null if nobody can read the session. */
  readonly state: string | null
}

/** A session of this machine. */
interface OwnSession {
  readonly row: KeptRow
  readonly changedAt: number
  /** With the title of its list. */
  readonly state: SessionConversationState | undefined
}

/** How to push a session. */
interface PushPlace {
  readonly machine: string
  /** Whether it keeps its secrets. */
  readonly isWhole: boolean
}

/**
 * Returns the key of a session. The same file of a machine has the same one, and the key does not show its path. It begins
 * with a hash of the machine: a database can refuse a key of another one.
 */
export function pushedKey(machine: string, path: string): string {
  const prefix = createHash('sha256').update(machine).digest('hex').slice(0, 16)
  return `${prefix}-${placeHash(machine, path)}`
}

/** Returns a hash of a place on a machine. */
export function placeHash(machine: string, path: string): string {
  return createHash('sha256')
    .update(JSON.stringify([machine, path]))
    .digest('base64url')
    .slice(0, 22)
}

const signatures = /* @__PURE__ */ new SignatureMaker()

/** Returns what is pushed of a session. Nothing of it is made from a text that was not redacted before. */
export function pushedSession(
  { row, changedAt, state }: OwnSession,
  { machine, isWhole }: PushPlace,
): PushedSession {
  const shown = isWhole ? (text: string) => text : (text: string) => redactVisible(text, redactAll)
  const optional = (text: string | undefined) => (text === undefined ? undefined : shown(text))
  const key = pushedKey(machine, row.path)
  const { cwd, startedIn } = row
  const inRepository = [cwd, startedIn].flatMap((folder) => {
    const place = folder === undefined ? undefined : placeInRepository(folder)
    return place === undefined ? [] : [shown(place)]
  })
  const summary = omitUndefined({
    ...listedFacts(row),
    ...{ path: key, machine: shown(machine), file: shown(row.path) },
    ...{ program: optional(row.program), model: optional(row.model), title: optional(row.title) },
    ...{ firstPrompt: optional(row.firstPrompt), cwd: optional(cwd), startedIn: optional(startedIn) },
  })
  const told = state && !isWhole ? redactSession(state, redactAll) : state
  const kept = keptRow(summary, told)
  const { parts, tools, ...details } = told ? detailsOf(told, summary) : NO_DETAILS
  if (told) for (const text of searchedTexts({ title: kept.title, state: told })) signatures.add(text)
  const facts: PushedFacts = {
    ...{ ...rowFacts(kept), changedAt },
    ...(inRepository.length > 0 && { inRepository }),
  }
  return {
    ...{ key, id: row.id, facts: JSON.stringify(facts), row: JSON.stringify(kept) },
    ...{ parts: JSON.stringify(parts), tools: JSON.stringify(tools), details: JSON.stringify(details) },
    ...{ signature: signatures.take(), state: told ? JSON.stringify(told) : null },
  }
}

/** Returns the facts that a listing states. The redacted session states the others again, if somebody can read it. */
function listedFacts({ answer, ended, open, lastAt, tools, hasFailures, ...facts }: KeptRow): SessionSummary {
  return facts
}
