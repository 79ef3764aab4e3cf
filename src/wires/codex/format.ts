import { omitUndefined } from '../../core/json/fields.ts'
import { asObject, asString, isObject, type JsonObject } from '../../core/json/values.ts'
import type { StoredFacts } from '../../programs/program.ts'
import type { TranscriptRules } from '../../reading/input/transcripts.ts'
import type { Format } from '../format.ts'
import { isAppServerMessage } from './events/app-server.ts'
import type { CodexEvent } from './events/event.ts'
import { isExecLine, readExecLine } from './events/exec.ts'
import { isRolloutLine, readRolloutLine } from './events/rollout.ts'
import { codexFiles, isRolloutName } from './session-files.ts'

/** Whether the value is a message of one of the forms. */
function isCodexMessage(value: unknown): boolean {
  return isObject(value) && (provesRollout(value) || provesExec(value) || isAppServerMessage(value))
}

/** The head of a file, or an entry whose payload is known: any program may have the name of its type. */
function provesRollout(line: JsonObject): boolean {
  const { id, cwd, cli_version, originator } = asObject(line.payload)
  if (line.type === 'session_meta')
    return typeof id === 'string' && [cwd, cli_version, originator].some((fact) => typeof fact === 'string')
  return isRolloutLine(line) && isKnown(readRolloutLine(line))
}

/** A failure of a turn has the fields of any program's. */
function provesExec(line: JsonObject): boolean {
  if (!isExecLine(line) || line.type === 'turn.failed') return false
  return line.type === 'turn.completed'
    ? asObject(line.usage).cached_input_tokens !== undefined
    : isKnown(readExecLine(line, 0))
}

function isKnown(events: readonly CodexEvent[] | undefined): boolean {
  return events?.some(({ type }) => type !== 'unknown') === true
}

/** How the files of a session become one stream of messages. */
export const codexRules: TranscriptRules = { agentField: 'thread_id' }

/** Codex: rollout files, `codex exec --json`, and the messages of the app-server. */
export const codexFormat: Format<'codex'> = {
  name: 'codex',
  inputs:
    "Codex (a rollout-*.jsonl: its agents' files are found beside it, exec --json, a log of the app-server)",
  isDocument: () => false,
  isMessage: isCodexMessage,
  // A line of a rollout does not name its thread.
  transcripts: codexRules,
  files: {
    isSession: isRolloutName,
    isPart: isRolloutName,
    agentFiles: () => ({ isBeside: isRolloutName }),
    transcripts: codexFiles,
  },
  // A revert begins a further file of the thread.
  storage: { facts: factsOf },
}

/** Returns the facts that the head of a rollout states, and the name that a person gave to the thread. */
function factsOf(value: unknown): StoredFacts {
  if (!isObject(value)) return {}
  const payload = asObject(value.payload)
  if (value.type === 'event_msg' && payload.type === 'thread_name_updated')
    return omitUndefined({ title: asString(payload.thread_name) ?? asString(payload.name) })
  if (value.type !== 'session_meta') return {}
  const isSubagent =
    asString(payload.parent_thread_id) !== undefined || asObject(payload.source).subagent !== undefined
  return omitUndefined({
    id: asString(payload.id),
    cwd: asString(payload.cwd),
    startedAt: asString(payload.timestamp),
    isSubagent: isSubagent ? true : undefined,
  })
}
