import { asObject } from '../../core/json/values.ts'
import type { ProgramReader } from '../reader.ts'
import { readAgentResult, withoutToolList } from './agent-result.ts'
import { fileChangesOf } from './file-changes.ts'
import { textInTag } from './framed-text.ts'
import { COMMAND_TEXT, INTERRUPTION_TEXT, SUMMARY_TEXT } from './texts.ts'

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
      output: textInTag(text, 'result'),
    }
  },
}
