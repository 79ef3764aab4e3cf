import { asObject } from '../../../core/json/values.ts'
import type { UserMessageBlock } from '../../../core/state/block.ts'
import type { UserContentPart } from '../../../core/state/content.ts'
import { MAIN } from '../../../core/state/session.ts'
import {
  coordinatorWords,
  splitNotification,
  teammateMessages,
  workflowTask,
} from '../../../programs/claude-code/framed-text.ts'
import { userContent } from '../../kit/user-content.ts'
import type { Line } from '../lines/line.ts'

/** A message to the model. A line may hold several. */
export interface UserWords {
  readonly content: UserMessageBlock['content']
  /** The program has only put the words into a frame: they are a prompt. */
  readonly isPrompt?: true
}

/** Returns the messages in the parts of a user line, without the program's frames around the words of others. */
export function userWordsIn(line: Line, parts: readonly UserContentPart[]): readonly UserWords[] {
  const content = userContent(parts)
  if (content === undefined) return []
  if (typeof content === 'string') return wordsInText(line, content)
  const [first, ...others] = parts
  const isReport = first?.type === 'text' && splitNotification(`${first.text}\n.`) !== undefined
  return isReport ? [{ content: first.text }, ...userWordsIn(line, others)] : [{ content }]
}

function wordsInText({ raw, conversationId }: Line, text: string): readonly UserWords[] {
  const words = asObject(raw.origin).kind === 'coordinator' ? coordinatorWords(text) : undefined
  if (words !== undefined) return [{ content: words, isPrompt: true }]
  const [report, follow] = splitNotification(text) ?? []
  if (report !== undefined && follow !== undefined) return [{ content: report }, { content: follow }]
  // Main's messages from teammates are news. A teammate works for others, so theirs are its prompts.
  if (conversationId === MAIN && raw.agentName === undefined) return [{ content: text }]
  const task = workflowTask(text)
  return task === undefined ? teammateWords(text) : [{ content: task, isPrompt: true }]
}

/** The program itself writes JSON, such as a request to shut down. */
function teammateWords(text: string): readonly UserWords[] {
  const bodies = teammateMessages(text).flatMap(({ body }) => (body.startsWith('{"type":') ? [] : [body]))
  return bodies.length === 0 ? [{ content: text }] : bodies.map((content) => ({ content, isPrompt: true }))
}
