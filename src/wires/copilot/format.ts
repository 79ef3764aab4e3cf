import { omitUndefined } from '../../core/json/fields.ts'
import { asObject, asString, isObject } from '../../core/json/values.ts'
import type { StoredFacts } from '../../programs/program.ts'
import type { Format } from '../format.ts'
import { copilotFiles, isSessionFile } from './files.ts'
import { isCopilotMessage } from './messages.ts'

/** GitHub Copilot CLI: `events.jsonl`, `copilot -p --output-format json`, and the messages of the SDK's connection. */
export const copilotFormat: Format<'copilot'> = {
  name: 'copilot',
  inputs: "GitHub Copilot CLI (an events.jsonl, -p --output-format json, a log of the SDK's connection)",
  isDocument: () => false,
  isMessage: isCopilotMessage,
  transcripts: {},
  files: {
    isSession: isSessionFile,
    isPart: isSessionFile,
    agentFiles: () => undefined,
    hasAllAgents: true,
    transcripts: copilotFiles,
  },
  storage: { facts: factsOf },
}

/** Returns the facts in the first event of a file. */
function factsOf(value: unknown): StoredFacts {
  if (!isObject(value) || value.type !== 'session.start') return {}
  const { sessionId, startTime, context } = asObject(value.data)
  return omitUndefined({
    id: asString(sessionId),
    cwd: asString(asObject(context).cwd),
    startedAt: asString(startTime) ?? asString(value.timestamp),
  })
}
