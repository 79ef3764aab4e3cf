import { asString } from '../../core/json/values.ts'
import type { ProgramReader } from '../reader.ts'
import { agentEndIn } from './tool-result.ts'

/** Reads Gemini CLI for a protocol. */
export const geminiReader: ProgramReader = {
  // The id of a call begins with the name of its tool.
  toolName: ({ toolUseId = '' }) => /^(.+?)__/.exec(toolUseId)?.[1],
  // The title of a call that starts an agent has the agent's name. Its prompt and its report are not there.
  input: ({ title = '', toolUseId = '' }) => {
    const name = toolUseId.startsWith('invoke_agent__') && /^Delegating to agent '(.*)'$/.exec(title)?.[1]
    return name ? { agent_name: name } : undefined
  },
  agentResult({ output }) {
    const { isError, report } = agentEndIn(asString(output), undefined)
    return { isError, report: report || undefined }
  },
  // A thought without a heading has the marks of one.
  wholeThought: (chunk) => chunk.replace(/^\*{4}\n/, ''),
  warning: (text) => (/^\[MODE_UPDATE\] \w+$/.test(text) ? text : undefined),
}
