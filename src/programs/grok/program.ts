import { omitUndefined } from '../../core/json/fields.ts'
import { asFiniteNumber, asObject, asString, isString, type JsonObject } from '../../core/json/values.ts'
import type { Program, ProgramStorage } from '../program.ts'
import type { SessionFolder } from '../reader.ts'

/** Grok Build. It speaks ACP, and writes the messages of its sessions as lines of ACP. */
export const grok: Program = {
  names: ['grok'],
  wire: 'acp',
  adapter: { name: 'grok', metaKeys: ['x.ai/', '_x.ai/', 'grokShell', 'agentTimestampMs'] },
  tools: {
    command: ['run_terminal_command'],
    read: ['read_file'],
    edit: ['search_replace', 'write'],
    search: ['search_tool'],
    todo: ['todo_write'],
    question: ['ask_user_question'],
    agent: ['spawn_subagent'],
    agentControl: ['get_command_or_subagent_output'],
  },
  fields: {
    command: ['command'],
    path: ['target_file', 'file_path'],
    prompt: 'prompt',
    agentType: 'subagent_type',
    description: 'description',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: false },
}

export const grokStorage: ProgramStorage = {
  folders: ({ home, variables }) => [
    { path: `${variables.GROK_HOME || `${home}/.grok`}/sessions`, depth: 2 },
  ],
}

/** The folder of a session of Grok Build. */
export const grokSessionFolder: SessionFolder = {
  messages: 'updates.jsonl',
  facts: 'summary.json',
  agents: ['subagents', 'meta.json'],
  readFacts: ({ info, generated_title, session_summary, created_at, updated_at, session_kind }) =>
    omitUndefined({
      id: asString(asObject(info).id),
      cwd: asString(asObject(info).cwd),
      title: asString(generated_title) ?? asString(session_summary),
      startedAt: asString(created_at),
      updatedAt: asString(updated_at),
      isSubagent: session_kind === 'subagent' || undefined,
    }),
  timeOf: ({ params }) => timeOf(asObject(params)),
}

/** In ms. A date cannot hold more. */
const MAX_TIME = 8.64e15

/**
 * Messages of one process share a counter, which orders those of one ms. A copied message has its old time, but is
 * read with its session.
 */
function timeOf({ sessionId, _meta }: JsonObject): string | undefined {
  const { agentTimestampMs, eventId } = asObject(_meta)
  const ms = asFiniteNumber(agentTimestampMs)
  if (ms === undefined || Math.abs(ms) > MAX_TIME || isCopiedEvent(sessionId, eventId)) return undefined
  const number = /\d+$/.exec(asString(eventId) ?? '')?.[0] ?? ''
  return new Date(ms).toISOString().replace('Z', `${number.padStart(9, '0')}Z`)
}

/** The number of an event begins with the id of the session that wrote it first. */
export function isCopiedEvent(sessionId: unknown, eventId: unknown): boolean {
  return isString(sessionId) && isString(eventId) && !eventId.startsWith(sessionId)
}
