import { isObject, type JsonObject } from '../../core/json/values.ts'

/** Returns a message's content as a list of parts. A string, alone or among the parts, becomes a text part. */
export function contentParts(content: unknown): readonly JsonObject[] {
  if (content === undefined) return NO_PARTS
  if (isListOfObjects(content)) return content
  const parts: JsonObject[] = []
  for (const part of Array.isArray(content) ? content : [content])
    if (typeof part === 'string') parts.push({ type: 'text', text: part })
    else if (isObject(part)) parts.push(part)
  return parts
}

const NO_PARTS: readonly JsonObject[] = []

/** Most messages are such a list. */
function isListOfObjects(content: unknown): content is readonly JsonObject[] {
  return Array.isArray(content) && content.every(isObject)
}

/** Returns the texts of a message's text parts. */
export function textsIn(content: unknown): readonly string[] {
  return textsOfParts(contentParts(content))
}

/** Returns the texts of the text parts. */
export function textsOfParts(parts: readonly JsonObject[]): readonly string[] {
  const texts: string[] = []
  for (const { type, text } of parts) if (type === 'text' && typeof text === 'string') texts.push(text)
  return texts
}

/** Returns the text of a result for the model. */
export function textOf({ output }: { readonly output: unknown }): string {
  return textsIn(output).join('\n')
}

// The words of Claude Code in messages that it writes in the place of the person.

export const INTERRUPTION_TEXT: RegExp = /^\[Request interrupted by user[^\]]*\]$/

/** The words before the summary of a compacted conversation. */
export const SUMMARY_TEXT: RegExp = /^This session is being continued from a previous conversation/

/** The tags of a command. Versions 2.1.220 to 2.1.280 also write the words of a compaction without tags. */
export const COMMAND_TEXT: RegExp = /^(?:<(?:command|local-command|bash)-[a-z]+>|\/compact(?:\s|$))/

/** Whether the text is the output of a hook, or another word of the program, in versions that do not mark the message. */
export function isHookText(text: string): boolean {
  return (
    HOOK_REPORT.test(text) ||
    /^(?:Operation stopped by hook\b|<(?:[a-z]+-)+hook>)/.test(text) ||
    /^<system-reminder>.*<\/system-reminder>\s*$/s.test(text)
  )
}

const HOOK_REPORT =
  /^[A-Z]\w+(?::\S+)? (?:hook (?:feedback|additional context|success|stopped|error|blocking error)|operation blocked by hook)\b/

/**
 * Whether the text of a user message is the program's report of a background task. One more line may name a
 * file: that of the transcript, or that of the output. Up to 2.0.76 the tag has another name.
 */
export function isTaskNotification(text: string): boolean {
  return (
    /^<(task|agent)-notification>.*<\/\1-notification>\s*(?:(?:Full transcript|Read the output file) [^\n]*)?\s*$/s.test(
      text,
    ) || /^Background agent ".*" was stopped by the user\.$/s.test(text)
  )
}

/**
 * Whether the text of a user message comes from another agent: a teammate, or an agent that used `SendMessage`. Newer
 * versions put a sentence before the tag.
 */
export function isAgentMessage(text: string): boolean {
  return /^(?:Another Claude session sent a message:\s*)?<(?:teammate|agent)-message\s[^>]*>/.test(text)
}

/** Whether a text reports that a request to the model failed. Older versions mark such a message with nothing else. */
export function isApiErrorText(text = ''): boolean {
  return /^API Error(?::| \(|$)/.test(text)
}

/** The beginning of the program's words for the model about a call that had no result when the process was killed. */
const ENDED_SESSION = '[Tool call interrupted: the session ended'

/** Whether the text stands in the place of a call's result. A process that resumes a killed session writes it, to the file only. */
export function isKilledCallText(text: string): boolean {
  return text.startsWith(ENDED_SESSION)
}
