import { isEqual } from '../../core/json/equal.ts'
import { isoTime } from '../../core/json/iso-time.ts'
import { timeInMs } from '../../core/json/lists.ts'
import { asArray, asFiniteNumber, asObject, asString, type JsonObject } from '../../core/json/values.ts'
import type { UserMessageOrigin } from '../../core/state/block.ts'
import { userContent } from '../../core/state/content.ts'
import { MAIN } from '../../core/state/session.ts'
import { contentParts, outputText, splitContext } from '../../programs/kimi/results.ts'
import type { SessionOutput } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { endAbandonedTurn } from '../kit/abandon.ts'
import { errorBlock, noteBlock, show } from '../kit/blocks.ts'
import { type KimiEvent, turnKey } from './messages.ts'
import type { KimiContext } from './notes.ts'

/** A message in the person's place, and why it was written. */
interface Message {
  readonly id: string
  readonly origin: JsonObject
  readonly content: unknown
  readonly time: string | undefined
}

/** Begins a turn with its prompt. A known prompt is a repeated one. */
export function beginTurn(
  { agentId, fields, time }: KimiEvent,
  conversationId: string,
  context: KimiContext,
): void {
  const turnId = asFiniteNumber(fields.turnId)
  const origin = asObject(fields.origin)
  const id = asString(fields.promptId) ?? idOf({ origin }) ?? turnKey(agentId, turnId ?? timeInMs(time))
  if (isKnown(conversationId, id, context.state)) return
  if (conversationId === MAIN) {
    endKilledTurn(context)
    context.turn.begin(time)
    if (turnId !== undefined) context.notes.setEntry('turnPrompts', String(turnId), id)
  }
  if (turnId !== undefined) context.notes.setEntry('turns', conversationId, turnId)
  if (context.state.hasEnded(conversationId))
    context.emit({ type: 'subagent:resumed', toolUseId: conversationId })
  showMessage(conversationId, { id, origin, content: fields.input ?? fields.prompt, time }, context)
}

function isKnown(conversationId: string, id: string, state: SessionLookups): boolean {
  if (state.findBlock(conversationId, id)) return true
  return conversationId === MAIN && state.isAbandoned(id)
}

/** Ends a turn whose program was killed: only the next process begins a turn while one runs. Its agents have ended with it. */
export function endKilledTurn(context: KimiContext): void {
  if (context.state.turn.status !== 'running' || context.notes.values.answer) return
  endAbandonedTurn(undefined, context)
}

/** Ends a turn. An end of an earlier turn is a repeated one. */
export function endTurn(
  { agentId, fields, time }: KimiEvent,
  conversationId: string,
  context: KimiContext,
): void {
  const turnId = asFiniteNumber(fields.turnId) ?? 0
  if (turnId < (context.notes.values.turns.get(conversationId) ?? 0)) return
  context.notes.setEntry('turns', conversationId, turnId)
  const { reason } = fields
  const { message, code } = asObject(fields.error)
  const error = asString(message)
  const end = reason === 'cancelled' ? 'interruption' : 'error'
  const block = { id: `${turnKey(agentId, turnId)}:${end}`, timestamp: time }
  if (reason === 'cancelled')
    show(conversationId, noteBlock({ subtype: end, message: 'Interrupted', ...block }), context)
  else if (reason === 'failed')
    show(
      conversationId,
      errorBlock({ message: error ?? 'The turn failed', code: asString(code), ...block }),
      context,
    )
  if (conversationId === MAIN) context.turn.end({ outcome: outcomeOf(reason), error, timestamp: time })
}

function outcomeOf(reason: unknown) {
  if (reason === 'cancelled') return 'interrupted'
  return reason === 'failed' ? 'failed' : 'finished'
}

/** Shows the messages that are added to an agent's context. Those of the model and of tools come in events of their own. */
export function readMessages(
  { fields, time }: KimiEvent,
  conversationId: string,
  output: SessionOutput,
): void {
  for (const message of [...asArray(fields.messages), fields.message].map(asObject)) {
    const origin = asObject(message.origin)
    const id = idOf({ ...message, origin }) ?? `note:${time}`
    const shown = { id, origin, content: message.content, time }
    if (
      message.role === 'user' &&
      !isKnown(conversationId, id, output.state) &&
      !isPromptOfTurn(conversationId, shown, output.state)
    )
      showMessage(conversationId, shown, output)
  }
}

/** In ms. */
const MOST_DELAY = 1000

/** Whether the message is the prompt of a turn that has begun just before. Up to 0.36, the turn does not have the id of its prompt. */
function isPromptOfTurn(conversationId: string, { content, time }: Message, state: SessionLookups): boolean {
  const words = userContent(splitContext(contentParts(content))[1])
  const first = isoTime(timeInMs(time) - MOST_DELAY) ?? ''
  for (const block of state.typeFromEnd(conversationId, 'user_message')) {
    const { timestamp = first } = block
    if (timestamp < first) return false
    if (block.type !== 'user_message' || !block.id.includes('turn:')) continue
    if (timeInMs(time) >= timeInMs(block.timestamp) && isEqual(block.content, words)) return true
  }
  return false
}

/** The notice of a task has an id of its own. */
function idOf({ id, origin }: JsonObject): string | undefined {
  return asString(id) ?? asString(asObject(origin).notificationId)
}

function showMessage(conversationId: string, message: Message, output: SessionOutput): void {
  const { id, origin, time: timestamp } = message
  // A reminder that the program injects into each turn. It has no words of a person.
  if (origin.kind === 'injection') return
  const base = { status: 'complete', timestamp } as const
  if (origin.kind === 'skill_activation') {
    const skill = { skillName: asString(origin.skillName) ?? '', content: outputText(message.content) }
    return show(conversationId, { type: 'skill_load', id, ...skill, ...base }, output)
  }
  const [before, parts] = splitContext(contentParts(message.content))
  if (before !== undefined) {
    const note = { id: `${id}:context`, content: before, origin: 'meta' } as const
    show(conversationId, { type: 'user_message', ...note, ...base }, output)
  }
  const content = userContent(parts)
  if (content === undefined) return
  const block = { type: 'user_message', id, content, origin: originOf(origin), ...base } as const
  show(conversationId, block, output)
}

/** Returns why the program wrote a message; undefined for the words of a person or of a parent agent. */
function originOf({ kind, name }: JsonObject): UserMessageOrigin | undefined {
  if (kind === undefined || kind === 'user' || (kind === 'system_trigger' && name === 'subagent'))
    return undefined
  if (kind === 'task') return 'notification'
  return /compact|summary/.test(asString(kind) ?? '') ? 'summary' : 'meta'
}
