import { asFiniteNumber, asObject, asString, type JsonObject } from '../../core/json/values.ts'
import type { ProgramReader } from '../reader.ts'
import { fileChangesOf } from './file-changes.ts'
import { outputInNotification, textInTag } from './framed-text.ts'
import { COMMAND_TEXT, INTERRUPTION_TEXT, isKilledCallText, SUMMARY_TEXT, textsIn } from './texts.ts'

/** The result of an agent's call. An absent field is unknown. */
interface AgentResult {
  readonly agentId?: string | undefined
  readonly prompt?: string | undefined
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly isError?: boolean | undefined
  /** The agent runs in the background. Its report comes later. */
  readonly isLaunch?: boolean | undefined
  /** The agent is a member of a team. */
  readonly isTeammate?: boolean | undefined
  readonly report?: string | undefined
  /** The text for the model. It is the report if nothing else is known. */
  readonly text?: string | undefined
  readonly durationMs?: number | undefined
}

/** Reads the result of an agent's call, which may have several shapes. The tool's own record wins over texts, and an error over both. */
export function readAgentResult(part: JsonObject, toolUseResult: JsonObject): AgentResult {
  // A killed agent has no report.
  const texts = textsIn(part.content).filter((text) => !isKilledCallText(text))
  const plain = readPlainText(texts)
  const framed = readFramedReport(texts)
  const launch = readLaunchText(texts)
  const record = readRecord(toolUseResult)
  const isError = part.is_error === true
  return {
    agentId: record.agentId ?? launch?.agentId ?? plain.agentId,
    prompt: record.prompt,
    name: record.name,
    description: record.description,
    isError,
    isLaunch: isError ? false : (record.isLaunch ?? launch?.isLaunch ?? framed?.isLaunch),
    isTeammate: record.isTeammate ?? launch?.isTeammate,
    report: (isError ? errorText(texts) : undefined) ?? record.report ?? framed?.report,
    text: plain.text,
    durationMs: record.durationMs ?? plain.durationMs,
  }
}

/** An error is plain text in all versions. */
function errorText(texts: readonly string[]): string | undefined {
  return texts.length > 0 ? texts.join('\n') : undefined
}

/** The tool's own record, which only main's results have. Files of 1.0.128 have it without agent and status. */
function readRecord(record: JsonObject): AgentResult {
  const { agentId, agent_id, prompt, agentType, agent_type, description } = record
  const { status, content, totalDurationMs } = record
  return {
    agentId: asString(agentId) ?? asString(agent_id),
    prompt: asString(prompt),
    name: asString(agentType) ?? asString(agent_type),
    description: asString(description),
    isLaunch: typeof status === 'string' ? /launched|spawned/.test(status) : undefined,
    isTeammate: status === 'teammate_spawned' ? true : undefined,
    // A list of the used tools may come before the report.
    report: textsIn(content).at(-1),
    durationMs: asFiniteNumber(totalDurationMs),
  }
}

const LAUNCH = 'Async agent launched'

/** The text that answers the call of a background agent, or of a teammate, at once. The record may be missing. */
function readLaunchText([text = '']: readonly string[]): AgentResult | undefined {
  if (text.startsWith(LAUNCH)) return { isLaunch: true }
  const teammateId = /^Spawned successfully\..*\nagent_id: (\S+)/.exec(text)?.[1]
  return teammateId === undefined ? undefined : { agentId: teammateId, isLaunch: true, isTeammate: true }
}

/**
 * The framed report of 2.1.330: one text, in which the program indents all that the agent wrote. The frame, and the
 * line `agentId: …` behind the report, begin at the margin, so a report cannot forge them. A call may request the
 * background and still be answered with the report.
 */
function readFramedReport(texts: readonly string[]): AgentResult | undefined {
  const text = framedText(texts)
  if (text === undefined) return undefined
  const from = text.indexOf('\n') + 1
  const to = text.indexOf(`\n${TRAILER}`, from)
  const report = from === 0 || to < 0 ? undefined : text.slice(from, to).replace(/^ {2}/gm, '')
  return { isLaunch: false, report }
}

const FRAME = '[Subagent hand-back]'
const TRAILER = 'agentId: '

/** Returns the text from the frame on. Older versions have no frame, and a trailer that is a text of its own. */
function framedText(texts: readonly string[]): string | undefined {
  const [text = '', ...others] = texts
  if (others.length > 0) return undefined
  if (text.startsWith(FRAME)) return text
  const at = text.indexOf(`\n${FRAME}`)
  return at < 0 ? undefined : text.slice(at + 1)
}

/** The text alone. From 2.0.77 on, its trailer also names the agent, and from 2.1.197 on the duration. */
function readPlainText(texts: readonly string[]): AgentResult {
  const trailer = trailerIn(texts)
  return {
    agentId: /^agentId: ([\w-]+)/.exec(trailer)?.[1],
    text: texts[0],
    durationMs: asFiniteNumber(Number(/^duration_ms: (\d+)/m.exec(trailer)?.[1])),
  }
}

/** Returns the lines of the program behind the report, from `agentId:` on. A report may hold lines that look the same. */
function trailerIn(texts: readonly string[]): string {
  const [first = '', ...others] = texts
  const last = others.at(-1)
  if (last !== undefined) return last.startsWith(TRAILER) ? last : ''
  const text = first.startsWith(LAUNCH) ? first : (framedText(texts) ?? '')
  const at = text.indexOf(`\n${TRAILER}`)
  return at < 0 ? '' : text.slice(at + 1)
}

/** Returns a report without the list of used tools, which may come before it. */
function withoutToolList(report: string): string {
  return report.replace(/^\s*<tools-used-before-summary>[^<]*<\/tools-used-before-summary>\s*/, '')
}

/** Reads Claude Code for a protocol. */
export const claudeReader: ProgramReader = {
  compactionTool: 'compact',
  agentResult({ output, record }) {
    const { name: agentType, report, text, ...result } = readAgentResult({ content: output }, record)
    return { ...result, agentType, report: report ?? text }
  },
  resultsNameAgents: true,
  agentReport: withoutToolList,
  fileChanges: fileChangesOf,
  messageOrigin(text) {
    if (INTERRUPTION_TEXT.test(text)) return 'interruption'
    if (SUMMARY_TEXT.test(text)) return 'summary'
    if (text.startsWith('<task-notification>')) return 'notification'
    return COMMAND_TEXT.test(text) ? 'command' : undefined
  },
  isNotified: (meta) => asObject(meta['_claude/origin']).kind === 'task-notification',
  notifiedEnd(text) {
    return {
      toolUseId: textInTag(text, 'tool-use-id'),
      agentId: textInTag(text, 'task-id'),
      status: textInTag(text, 'status') === 'completed' ? 'completed' : 'error',
      output: outputInNotification(text),
    }
  },
}
