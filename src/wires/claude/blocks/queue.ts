import { omitUndefined } from '../../../core/json/fields.ts'
import { asString, isObject, parseJson } from '../../../core/json/values.ts'
import { MAIN } from '../../../core/state/session.ts'
import { isTaskNotification } from '../../../programs/claude-code/texts.ts'
import { typeName } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { queuedBlockId } from '../block-ids.ts'
import { type Line, lineId } from '../lines/line.ts'
import type { ClaudeContext, ClaudeNotes } from '../notes.ts'

type Queue = NonNullable<ClaudeNotes['queue']>
type QueuedMessage = Queue[number]

/**
 * Translates an operation on the queue of messages that wait while the model works:
 * - `enqueue` adds a message at the end.
 * - `dequeue` takes the first one. A user line follows and holds it. If that line is broken, the prompt stands only
 *   in the queue.
 * - `remove` takes the first one, or the one in `content`, and hands it to the model. Older versions write no other
 *   line for it, so the prompt of a person stands only in the queue. From 2.1.285 on, a reason says if the model does
 *   not get it.
 * - `popAll` gives all of them back to the person.
 */
export function translateQueueOperation(line: Line, context: ClaudeContext): void {
  const text = asString(line.raw.content)
  const { queuedUntil = '', queue = [] } = context.notes.values
  const { timestamp = queuedUntil } = line
  // Operations have no uuids. They come in the order of their times, so an earlier one comes again.
  if (line.conversationId !== MAIN || timestamp < queuedUntil) return
  // A message with the time and the text of the last one may be its line again, or a second message.
  const isSame = line.timestamp !== undefined && timestamp === queuedUntil && queue.at(-1)?.text === text
  const mayRepeat = isSame ? true : undefined
  if (line.timestamp !== undefined) context.notes.remember({ queuedUntil: timestamp })
  switch (line.raw.operation) {
    case 'enqueue':
      return context.notes.remember({ queue: [...queue, omitUndefined({ text, hasLine: false, mayRepeat })] })
    case 'dequeue':
      return rememberDequeued(line, takeFromQueue(undefined, context.notes), context.notes)
    case 'remove':
      return removeFromQueue(line, text, context)
    case 'popAll':
      return setQueue([], context.notes)
    case undefined:
      return
    default:
      return context.reportUnknown('unknown-message', `queue-operation/${typeName(line.raw.operation)}`)
  }
}

function setQueue(queue: Queue, notes: ClaudeContext['notes']): void {
  notes.remember({ queue: queue.length === 0 ? undefined : queue })
}

function removeFromQueue(line: Line, text: string | undefined, context: ClaudeContext): void {
  const removed = takeFromQueue(text, context.notes)
  if (!removed || !isForModel(line) || !isPersonsPrompt(removed)) return
  const { timestamp } = line
  if (timestamp === undefined)
    return upsertQueuedPrompt({ id: lineId(line, context.notes), content: removed.text, timestamp }, context)
  const behind =
    removed.mayRepeat && text === undefined ? promptsBehind(removed.text, timestamp, context.notes) : []
  let content = removed.text
  for (const { text: next, blockId: id } of behind) {
    upsertQueuedPrompt({ id, content, timestamp }, context)
    content = next
  }
  upsertQueuedPrompt({ id: freeId(queuedBlockId(timestamp), context.state), content, timestamp }, context)
}

/**
 * Takes the first message, or the first with a text. A message that may be a repeated line leaves after all others:
 * each message has one removal, so a further removal proves the message.
 */
function takeFromQueue(text: string | undefined, notes: ClaudeContext['notes']): QueuedMessage | undefined {
  const { queue = [] } = notes.values
  const candidates = queue.filter((message) => text === undefined || message.text === text)
  const taken = candidates.find(({ mayRepeat }) => !mayRepeat) ?? candidates[0]
  if (!taken) return undefined
  setQueue(
    queue.filter((message) => message !== taken),
    notes,
  )
  return taken
}

/** Returns the prompts that left the queue at that time, and that stood behind the first one with the text. */
function promptsBehind(
  text: string,
  timestamp: string,
  notes: ClaudeContext['notes'],
): NonNullable<ClaudeNotes['queuedPrompts']> {
  const { queuedPrompts = [] } = notes.values
  const together = queuedPrompts.filter(({ blockId }) => blockId.startsWith(queuedBlockId(timestamp)))
  const first = together.findIndex((prompt) => prompt.text === text)
  return first === -1 ? [] : together.slice(first + 1)
}

function rememberDequeued(
  { timestamp }: Line,
  message: QueuedMessage | undefined,
  notes: ClaudeContext['notes'],
): void {
  const isLineNext = message && timestamp !== undefined && isPersonsPrompt(message)
  notes.remember({ dequeued: isLineNext ? { text: message.text, timestamp } : undefined })
}

/** Shows the message that has just left the queue: its line is broken. */
export function showDequeued(context: ClaudeContext): void {
  const { dequeued } = context.notes.values
  if (!dequeued) return
  context.notes.remember({ dequeued: undefined })
  const { text, timestamp } = dequeued
  upsertQueuedPrompt(
    { id: freeId(queuedBlockId(timestamp), context.state), content: text, timestamp },
    context,
  )
}

/** Only the line after the operation holds its message. */
export function forgetDequeued({ raw, conversationId }: Line, notes: ClaudeContext['notes']): void {
  if (!notes.values.dequeued || conversationId !== MAIN || raw.type === 'queue-operation') return
  notes.remember({ dequeued: undefined })
}

function isForModel({ raw }: Line): boolean {
  return raw.reason === undefined || raw.reason === 'absorbed_mid_turn'
}

/** The program itself queues notifications, messages of agents, and its tasks as JSON. A command has lines of its own. */
function isPersonsPrompt(message: QueuedMessage): message is QueuedMessage & { readonly text: string } {
  const { text = '', hasLine } = message
  if (hasLine || text.trim() === '' || /^\s*<[a-z]+(-[a-z]+)+[\s>]/.test(text)) return false
  if (/^\/[\w:-]+(\s|$)/.test(text) || isTaskNotification(text)) return false
  const task = text.startsWith('{') ? parseJson(text) : undefined
  return !isObject(task) || task.task_id === undefined
}

interface QueuedPrompt {
  readonly id: string
  readonly content: string
  readonly timestamp: string | undefined
}

/** Shows a prompt without a line of its own. One that comes nevertheless takes its place. */
export function upsertQueuedPrompt({ id, content, timestamp }: QueuedPrompt, context: ClaudeContext): void {
  const others = (context.notes.values.queuedPrompts ?? []).filter(({ blockId }) => blockId !== id)
  context.notes.remember({ queuedPrompts: [...others, { text: content, blockId: id }] })
  context.turn.begin(timestamp)
  context.upsert(MAIN, {
    type: 'user_message',
    id,
    status: 'complete',
    content,
    ...(timestamp !== undefined && { timestamp }),
  })
}

/** Several prompts may leave the queue in one millisecond. */
function freeId(id: string, state: SessionLookups): string {
  let [free, count] = [id, 1]
  for (; state.findBlock(MAIN, free); free = `${id}:${count}`) count += 1
  return free
}

/**
 * Takes back the prompt from the queue that a line of its own now holds. Newer versions write an attachment soon
 * after the removal. The prompt of another text ends the wait: the same words after it are a prompt of their own.
 */
export function replaceQueuedPrompt(content: unknown, context: ClaudeContext): void {
  const { queue = [], queuedPrompts = [] } = context.notes.values
  const waiting = queue.find(({ text, hasLine }) => !hasLine && text === content)
  if (waiting) {
    const hasLine = { ...waiting, hasLine: true }
    context.notes.remember({ queue: queue.map((message) => (message === waiting ? hasLine : message)) })
  }
  if (queuedPrompts.length === 0) return
  const same = queuedPrompts.find(({ text }) => text === content)
  const others = same ? queuedPrompts.filter((prompt) => prompt !== same) : []
  context.notes.remember({ queuedPrompts: others.length === 0 ? undefined : others })
  if (same) context.emit({ type: 'block:removed', conversationId: MAIN, blockId: same.blockId })
}
