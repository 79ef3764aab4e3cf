import type { SessionConversationState, SubagentState } from '../../core/state/session.ts'
import type { Architecture } from '../../programs/program.ts'
import type { SourceIssue } from '../../reading/source.ts'
import { formatOf } from '../../wires/all.ts'
import { fileReader } from '../files/file-reader.ts'

/** Whether the file is a session's own, of a program that writes a file for each agent. */
export function hasAgentFiles(path: string, architecture: Architecture): boolean {
  const { files } = formatOf(architecture)
  return files.isSession(path) && files.agentFiles(path, fileReader) !== undefined
}

/** Returns an issue for each agent that has run, and of which the session has no message. */
export function missingTranscripts({ subagents }: SessionConversationState): readonly SourceIssue[] {
  return subagents
    .filter(lacksMessages)
    .map(({ toolUseId }) => ({ code: 'missing-agent-transcript', count: 1, toolUseId }))
}

/**
 * The call states the prompt, and the result states the output. An agent without an id may never have begun. One that failed may have nothing but
 * its prompt in its file.
 */
function lacksMessages({ blocks, agentId, status }: SubagentState): boolean {
  if (blocks.length === 0) return status === 'success' || agentId !== undefined
  return status === 'success' && blocks.every(({ type }) => type === 'user_message')
}
