import { asObject, asString } from '../../core/json/values.ts'
import { type UserContentPart, userContent } from '../../core/state/content.ts'
import {
  agentReport,
  agentResult,
  changesOf,
  droid,
  exitCodeOf,
  taskIn,
  todosOf,
} from '../../programs/droid/program.ts'
import type { ReplyPart, ResultStep, Step } from '../kit/steps/step.ts'

const REMINDERS = /^(?:\s*<system-reminder>[\s\S]*?<\/system-reminder>)+\s*/

/** Returns the person's words. Reminders of the program may stand before them, in parts of their own or in the same text. */
export function readUserParts(
  id: string,
  parts: readonly UserContentPart[],
  isOwn: boolean,
  time: string | undefined,
): readonly Step[] {
  const words = parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  const report = agentReport(words)
  if (report) {
    const { id: agentId, isError, output } = report
    return [
      { type: 'agents', agentId, ends: [{ isError, output }], time },
      { type: 'prompt', id, content: output ?? words, origin: 'notification', isAnswered: true, time },
    ]
  }
  if (/^\s*\[?Request (?:interrupted|cancelled) by user/.test(words))
    return [{ type: 'stop', id, outcome: 'interrupted', message: words.trim(), time }]
  const spoken = isOwn ? [] : parts.flatMap(withoutReminders)
  const content = userContent(
    spoken.map((part) => (part.type === 'text' ? { ...part, text: taskIn(part.text) ?? part.text } : part)),
  )
  if (content !== undefined) return [{ type: 'prompt', id, content, time }]
  return [{ type: 'prompt', id, content: userContent(parts) ?? '', origin: 'meta', time }]
}

function withoutReminders(part: UserContentPart): readonly UserContentPart[] {
  if (part.type !== 'text' || !part.text.includes('<system-reminder>')) return [part]
  const text = part.text.replace(REMINDERS, '')
  return text === '' ? [] : [{ type: 'text', text }]
}

/** Returns the step of a text that the program writes in the model's place when it refuses to go on; undefined for others. */
export function readRefusal(id: string, words: string, time: string | undefined): Step | undefined {
  if (!words.startsWith('Exec ended early: ')) return undefined
  return { type: 'stop', id, outcome: 'failed', message: words, time }
}

/** Reads a call. One that resumes an agent starts none. */
export function readCall(id: string, name: string, input: unknown): ReplyPart {
  const { prompt, subagent_type, description, resume } = asObject(input)
  const isAgent = droid.tools.agent.includes(name) && asString(resume) === undefined
  const agent = {
    prompt: asString(prompt) ?? '',
    name: asString(subagent_type),
    description: asString(description),
  }
  return { type: 'call', id, name, input, agents: isAgent ? [agent] : undefined }
}

/** Returns the step of a result. */
export function resultOf(
  callId: string,
  output: unknown,
  isError: boolean,
  time: string | undefined,
): ResultStep {
  const words = asString(output) ?? ''
  const { id, isLaunch, report } = agentResult(words)
  return {
    type: 'result',
    callId,
    output,
    isError,
    exitCode: exitCodeOf(words),
    changes: changesOf(output),
    todos: todosOf,
    agents: { isLaunch, ids: id === undefined ? [] : [id], ends: [{ isError, output: report }] },
    time,
  }
}
