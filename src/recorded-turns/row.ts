import { isTime } from '../core/json/iso-time.ts'
import { isObject } from '../core/json/values.ts'
import { storedTurnIssues } from './spec.ts'
import { isContentHash, type StoredTurn } from './turn.ts'
import { hashTurns } from './turns.ts'

/** A stored conversation. The hash of its turns is its key. */
export interface ConversationRow {
  readonly hash: string
  /** For people. The last name wins. */
  readonly name: string
  /** ISO 8601. The time when the conversation was first stored. */
  readonly createdAt: string
  /** ISO 8601. The time when it was last stored. */
  readonly lastRunAt: string
  readonly turns: readonly StoredTurn[]
}

/** The conversation to store, and the time. */
export interface ConversationUpsert {
  readonly name: string
  /** The turns of `materializeTurns`. */
  readonly turns: readonly StoredTurn[]
  /** The time of the request, ISO 8601. */
  readonly now: string
}

/**
 * Why a row could not be made:
 * - `invalid-value`: the value at `path` is of another kind, or has a field that no turn has
 * - `other-conversation`: the row to replace has another hash
 */
export type RowErrorCode = 'invalid-value' | 'other-conversation'

/** A row could not be made. `path` leads to the wrong argument. */
export class ConversationRowError extends TypeError {
  readonly code: RowErrorCode
  readonly path: readonly (string | number)[]

  constructor(code: RowErrorCode, path: readonly (string | number)[], expected: string) {
    super(`${path.join('.') || 'conversation'}: pass ${expected}`)
    this.name = 'ConversationRowError'
    this.code = code
    this.path = path
  }
}

/**
 * Returns the row to store, given the row that the store has under the hash of these turns, or null. The name and the
 * last time are the new ones, and the first time stays. Throws a `ConversationRowError` for a wrong argument.
 */
export function upsertConversation(
  existing: ConversationRow | null | undefined,
  conversation: ConversationUpsert,
): ConversationRow {
  if (!isObject(conversation)) throw new ConversationRowError('invalid-value', [], 'an object')
  const { name, turns, now } = conversation
  if (typeof name !== 'string') throw new ConversationRowError('invalid-value', ['name'], 'a string')
  const [wrong] = storedTurnIssues(turns, ['turns'])
  if (wrong) throw new ConversationRowError('invalid-value', wrong.path, wrong.expected)
  if (!isTime(now)) throw new ConversationRowError('invalid-value', ['now'], ISO_TIME)
  const hash = hashTurns(turns)
  if (existing) checkRow(existing, hash)
  return { hash, name, createdAt: existing?.createdAt ?? now, lastRunAt: now, turns }
}

const ISO_TIME = 'an ISO 8601 time'

function checkRow(row: ConversationRow, hash: string): void {
  if (!isObject(row)) throw new ConversationRowError('invalid-value', ['existing'], 'a row, or null')
  if (row.hash !== hash)
    throw new ConversationRowError('other-conversation', ['existing', 'hash'], `the row of ${hash}`)
  if (!isTime(row.createdAt))
    throw new ConversationRowError('invalid-value', ['existing', 'createdAt'], ISO_TIME)
}

/** The store has no conversation with the hash. A server answers 404. */
export class ConversationNotFoundError extends Error {
  readonly code = 'conversation-not-found'
  readonly path = ['conversation_hash'] as const
  /** The value that was asked for, if it is a hash. */
  readonly hash: string | undefined

  constructor(hash: unknown) {
    super(isContentHash(hash) ? `no conversation has the hash ${hash}` : 'a hash has 64 lowercase hex digits')
    this.name = 'ConversationNotFoundError'
    this.hash = isContentHash(hash) ? hash : undefined
  }
}
