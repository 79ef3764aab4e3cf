import type { SessionConversationState } from '../../../src/entries/index.ts'
import { codexSource } from '../../../src/wires/codex/source.ts'
import type { Replayed } from '../recordings.ts'
import { replay } from './recordings.ts'

export type Fields = Readonly<Record<string, unknown>>

/** Reads messages as a text with one a line. */
export function readLines(...messages: readonly unknown[]): Replayed {
  return replay(messages.map((message) => JSON.stringify(message)).join('\n'))
}

/** Returns the state behind the messages, before the end of the input. */
export function stateOf(
  messages: readonly unknown[],
  from?: SessionConversationState,
): SessionConversationState {
  return codexSource.read(codexSource.open(from), messages).session.state
}

/** Reads messages, forgets the session, and reads the later ones behind its state alone. */
export function resumed(before: readonly unknown[], after: readonly unknown[]): SessionConversationState {
  return stateOf(after, stateOf(before))
}

/** The thread and the turn of main in the messages below. */
export const threadId = 't'
export const turnId = 'turn'

/** A notification of the app-server. */
export function note(method: string, params: Fields, emittedAtMs?: number): Fields {
  return { method, params: { threadId, turnId, ...params }, emittedAtMs }
}

export function item(fields: Fields, method = 'item/completed'): Fields {
  return note(method, { item: fields })
}

/** A request of the app-server to the person. */
export function ask(method: string, params: Fields, id: number | string = 0): Fields {
  return { id, method, params: { threadId, turnId, ...params } }
}

export const beginTurn: readonly Fields[] = [
  { method: 'thread/started', params: { thread: { id: threadId, cwd: '/srv/demo', cliVersion: '0.169.0' } } },
  note('turn/started', { turn: { id: turnId, rootTurnId: turnId } }),
]

export function endTurn(status = 'completed', id: string = turnId): Fields {
  return note('turn/completed', { turn: { id, status } })
}

/** A turn of another thread. */
export function turnOf(thread: string, id: string, rootTurnId: string): Fields {
  return note('turn/started', { threadId: thread, turn: { id, rootTurnId } })
}

/** A line of a rollout. */
export function line(type: string, payload: Fields, timestamp = '2026-11-22T17:00:00.000Z'): Fields {
  return { timestamp, type, payload }
}

export const entry = (payload: Fields): Fields => line('response_item', payload)
export const event = (payload: Fields): Fields => line('event_msg', payload)
export const head: Fields = line('session_meta', { id: threadId, cwd: '/srv/demo', cli_version: '0.140.0' })
export const started: Fields = event({ type: 'task_started', turn_id: turnId })
export const ended: Fields = event({ type: 'task_complete', turn_id: turnId })

/** An item of a rollout. */
export function stored(fields: Fields): Fields {
  return event({ type: 'item_completed', thread_id: threadId, turn_id: turnId, item: fields })
}
