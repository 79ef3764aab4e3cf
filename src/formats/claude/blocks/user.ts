import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asFiniteNumber, asObject, asString } from '../../../json/values.ts'
import type { UserMessageBlock, UserMessageOrigin } from '../../../state/block.ts'
import { MAIN } from '../../../state/session.ts'
import { userContent } from '../../translation/user-content.ts'
import { agentOfTask, completeAgent, runStatus } from '../agents/agents.ts'
import type { ClaudeContext } from '../context.ts'
import { contentParts, saidParts } from '../lines/content.ts'
import { detailsOf, type Line, lineId } from '../lines/line.ts'
import { note } from './note.ts'
import { translateToolResult } from './tool-result.ts'

/** What the model is told: by the person, a parent agent, a tool, or the program itself. */
export function translateUser(line: Line, translation: ClaudeContext): void {
  const { message, conversationId, timestamp } = line
  const context = omitUndefined({ conversationId, timestamp, details: detailsOf(line) })
  const results = contentParts(message.content).filter((part) => part.type === 'tool_result')
  for (const part of results) translateToolResult(part, context, translation)
  if (results.length > 0 && conversationId === MAIN) translation.remember({ turn: 'running' })
  const content = userContent(saidParts(message.content, translation))
  if (content !== undefined) translateSaid(line, content, translation)
}

function translateSaid(line: Line, content: UserMessageBlock['content'], translation: ClaudeContext): void {
  const said = typeof content === 'string' ? content : ''
  if (/^\[Request interrupted by user[^\]]*\]$/.test(said)) return noteInterruption(line, said, translation)
  const isProgrammed = line.raw.isMeta === true || line.raw.isSynthetic === true
  const skillName = isProgrammed ? loadedSkill(said) : undefined
  if (skillName !== undefined) return loadSkill(line, { skillName, content: said }, translation)
  const origin = originOf(line, said, translation)
  if (origin === 'summary') translation.remember({ compacted: undefined })
  if (line.conversationId === MAIN && (origin === undefined || origin === 'notification'))
    translation.remember({ turn: 'running' })
  if (origin === 'notification') completeNotified(line, said, translation)
  const { conversationId, timestamp } = line
  const id = isPrompt(line, origin, translation) ? `${conversationId}:prompt` : lineId(line, translation)
  translation.upsert(
    conversationId,
    omitUndefined({ type: 'user_message', id, status: 'complete', content, origin, timestamp }),
  )
}

/** The program marks what it wrote itself; commands are known by their text alone. */
function originOf(
  { raw, conversationId }: Line,
  said: string,
  { memory }: ClaudeContext,
): UserMessageOrigin | undefined {
  if (raw.isCompactSummary === true) return 'summary'
  if (/^<task-notification>.*<\/task-notification>\s*$/s.test(said)) return 'notification'
  if (raw.isMeta === true) return 'meta'
  if (raw.isSynthetic === true) return memory.compacted === conversationId ? 'summary' : 'meta'
  return /^<(command|local-command|bash)-[a-z]+>/.test(said) ? 'command' : undefined
}

/** A subagent's first message is its prompt; its id is known before the message is. */
function isPrompt(
  { conversationId }: Line,
  origin: UserMessageOrigin | undefined,
  translation: ClaudeContext,
): boolean {
  const { prompted } = translation.memory
  if (conversationId === MAIN || origin !== undefined || prompted.get(conversationId) !== undefined)
    return false
  translation.remember({ prompted: prompted.with(conversationId, conversationId) })
  return true
}

function noteInterruption(line: Line, message: string, translation: ClaudeContext): void {
  if (line.conversationId === MAIN) translation.remember({ turn: 'interrupted' })
  note(line, { subtype: 'interruption', message }, translation)
}

/** A skill's text is handed to the model as a message that begins with the skill's folder. */
function loadedSkill(said: string): string | undefined {
  const folder = /^Base directory for this skill: (\S+)\s/.exec(said)?.[1]
  return folder?.split(/[/\\]/).findLast((name) => name !== '')
}

function loadSkill(
  line: Line,
  { skillName, content }: { readonly skillName: string; readonly content: string },
  translation: ClaudeContext,
): void {
  const { conversationId, timestamp } = line
  const id = lineId(line, translation)
  translation.upsert(
    conversationId,
    omitUndefined({ type: 'skill_load', id, status: 'complete', skillName, content, timestamp }),
  )
}

/** A background agent's report, as the program tells it to the model. */
function completeNotified({ raw }: Line, said: string, translation: ClaudeContext): void {
  const task = { task_id: tagged(said, 'task-id'), tool_use_id: tagged(said, 'tool-use-id') }
  const agent = agentOfTask(task, translation)
  if (!agent) return
  const duration = tagged(said, 'duration_ms', { isLast: true })
  const status = runStatus(tagged(said, 'status'))
  completeAgent(
    agent,
    {
      status,
      runId: asString(asObject(raw.origin).runId),
      output: tagged(said, 'result') ?? (status === 'error' ? tagged(said, 'summary') : undefined),
      durationMs: duration === undefined ? undefined : asFiniteNumber(Number(duration)),
    },
    translation,
  )
}

/** The text of a tag. A report may hold tags of its own, also the notification's: what follows it is read from the end. */
function tagged(said: string, tag: string, { isLast = false } = {}): string | undefined {
  const from = isLast ? said.lastIndexOf(`<${tag}>`) : said.indexOf(`<${tag}>`)
  const to = tag === 'result' ? said.lastIndexOf(`</${tag}>`) : said.indexOf(`</${tag}>`, from)
  return from < 0 || to < from ? undefined : said.slice(from + tag.length + 2, to)
}
