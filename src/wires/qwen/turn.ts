import { asArray, asObject, asString, isObject, isString, parseJson } from '../../core/json/values.ts'
import type { UserMessageBlock } from '../../core/state/block.ts'
import { type UserContentPart, userContent } from '../../core/state/content.ts'
import { MAIN } from '../../core/state/session.ts'
import type { Part } from '../../programs/gemini/parts.ts'
import type { Memory, SessionOutput } from '../../reading/context.ts'
import { noteBlock } from '../kit/blocks.ts'
import { describeAgent, findOrStartAgent } from './agents.ts'
import type { QwenContext } from './notes.ts'
import { endMessage, moveTo, placeOf, takeBlockId, takePromptId } from './place.ts'
import { showError, wordsOfError } from './text.ts'

type Content = UserMessageBlock['content']

/** A message of the person. */
interface Prompt {
  readonly content: Content | undefined
  readonly time?: string | undefined
  /** The words of a command may also be a prompt: no file has a command. */
  readonly isFromFile?: true
}

/** Shows a prompt of the person, which begins a turn. A command of the program is none. */
export function showPrompt(prompt: Prompt, context: QwenContext): void {
  endOpenTurn(prompt.time, context)
  context.turn.begin(prompt.time)
  placePrompt(prompt, context)
}

/** Shows a prompt of the turn that has begun. */
export function placePrompt({ content = '', time, isFromFile }: Prompt, context: QwenContext): void {
  endMessage(MAIN, context)
  const isTyped = isFromFile === true || !isCommand(content)
  const id = isTyped ? takePromptId(MAIN, context.notes) : freeCommandId(context)
  if (isTyped) moveTo(MAIN, id, context)
  const origin = isTyped ? undefined : ('command' as const)
  const facts = { content, timestamp: time, origin }
  context.upsert(MAIN, { type: 'user_message', id, status: 'complete', ...facts })
}

/** Whether the person called a command of the program. No file has it, so it moves no place. */
export function isCommand(content: Content | undefined): boolean {
  return isString(content) && /^\/\w[\w:-]*$/.test(content)
}

function freeCommandId(memory: Memory<QwenContext>): string {
  const { id } = placeOf(MAIN, memory)
  for (let number = 0; ; number += 1) {
    const free = `command:${id}:${number}`
    if (!memory.state.findBlock(MAIN, free)) return free
  }
}

/** Ends a turn that nothing has ended: the process is gone, or the person stopped it. */
export function endOpenTurn(time: string | undefined, context: QwenContext): void {
  const { answer } = context.notes.values
  if (answer?.outcome === 'interrupted') return interrupt(time, context)
  if (context.state.turn.status === 'running' && !answer)
    context.turn.end({ outcome: 'interrupted', timestamp: time })
}

/** Shows that the person has stopped the turn. */
export function interrupt(time: string | undefined, context: QwenContext): void {
  const mark = { id: takeBlockId(MAIN, context), subtype: 'interruption', message: 'Operation cancelled.' }
  context.upsert(MAIN, noteBlock({ ...mark, timestamp: time }))
  context.turn.end({ outcome: 'interrupted', timestamp: time })
}

/** Ends the turn with a failure. The stream has shown the error as a text before. */
export function failTurn(error: string, time: string | undefined, context: QwenContext): void {
  const message = wordsOfError(error)
  showError(MAIN, message, time, context)
  context.turn.end({ outcome: 'failed', error: message, timestamp: time })
}

/** Shows a prompt of an agent. A later one continues an agent that has ended. */
export function showAgentPrompt(
  toolUseId: string,
  content: Content,
  time: string | undefined,
  context: QwenContext,
): void {
  const prompt = isString(content) ? content : ''
  findOrStartAgent(toolUseId, prompt, context)
  const count = context.notes.values.promptCounts.get(toolUseId) ?? 0
  const id = takePromptId(toolUseId, context.notes)
  if (count > 0 && context.state.hasEnded(toolUseId))
    context.emit({ type: 'subagent:resumed', toolUseId, prompt, timestamp: time })
  else if (context.state.agentOfCall(toolUseId)?.prompt === '') {
    describeAgent(toolUseId, { prompt }, context)
  }
  endMessage(toolUseId, context)
  moveTo(toolUseId, id, context)
  const block = { type: 'user_message', id, status: 'complete', content, timestamp: time } as const
  context.upsert(toolUseId, block)
}

/** Shows a message of the program in the person's place. The model goes on with it. */
export function showNotification(
  conversationId: string,
  content: Content,
  time: string | undefined,
  context: QwenContext,
): void {
  endMessage(conversationId, context)
  const id = takeBlockId(conversationId, context)
  if (conversationId === MAIN) context.turn.start(time)
  const facts = { origin: 'notification', content, timestamp: time } as const
  context.upsert(conversationId, { type: 'user_message', id, status: 'complete', ...facts })
}

/** Notes that the model has answered: nothing but the next prompt, or the end of the stream, shows that the turn is over. */
export function noteAnswer(isWhole: boolean, time: string | undefined, output: SessionOutput): void {
  const outcome = isWhole ? 'finished' : 'interrupted'
  if (output.state.turn.status === 'running' || output.state.turn.openBlocks)
    output.turn.answer({ outcome, timestamp: time })
}

/** Returns the content of a message that the client sends. */
export function contentOfMessage(content: unknown): Content | undefined {
  if (isString(content)) return content
  return userContent(asArray(content).flatMap(partOfMessage))
}

function partOfMessage(value: unknown): readonly UserContentPart[] {
  const { type, text, source } = asObject(value)
  if (type === 'text' && isString(text)) return [{ type, text }]
  const { type: kind, media_type, data, url } = asObject(source)
  if (type !== 'image') return []
  if (kind === 'url' && isString(url)) return [{ type, source: { type: 'url', url } }]
  if (!isString(data)) return []
  return [{ type, source: { type: 'base64', mediaType: asString(media_type) ?? 'image/png', data } }]
}

const REMINDER = /^\s*<(system-reminder|qwen:[\w-]+)>[\s\S]*<\/\1>\s*$/

/** Returns the content of a prompt in a file, without what the program has added. */
export function contentOfParts(parts: readonly Part[]): Content | undefined {
  const own = parts.filter((part) => part.type !== 'text' || !REMINDER.test(part.text))
  return userContent((own.length > 0 ? own : parts).flatMap(contentOfPart))
}

function contentOfPart(part: Part): readonly UserContentPart[] {
  if (part.type === 'data') return [part.content]
  return part.type === 'text' ? textAndImages(part.text) : []
}

/** The program writes the images of the SDK's client as lines of JSON behind the text. */
function textAndImages(text: string): readonly UserContentPart[] {
  const lines = text.split('\n')
  const images: UserContentPart[] = []
  while (lines.length > 0 && lines.at(-1)?.startsWith('{"type":"image"')) {
    const image = parseJson(lines.at(-1) ?? '')
    if (!isObject(image)) break
    images.unshift(...partOfMessage(image))
    lines.pop()
  }
  return lines.length === 0 ? images : [{ type: 'text', text: lines.join('\n') }, ...images]
}
