import type { Program } from '../program.ts'

/** The value of `session.protocol` in a session that the Agent Client Protocol carried. */
export const ACP = 'acp'

/** The value of `session.protocol` in a session that AG-UI carried. */
export const AG_UI = 'ag-ui'

/** The facts that hold for any program that a protocol carries. A protocol names no tool, so these are common names. */
const ANY_PROGRAM: Omit<Program, 'names' | 'wire'> = {
  tools: {
    command: ['execute', 'terminal', 'run_command'],
    read: ['view'],
    edit: ['write_file', 'create_file', 'str_replace', 'str_replace_based_edit_tool', 'delete', 'move'],
    search: ['search', 'find', 'search_files'],
    web: ['fetch', 'web_reader'],
    agent: ['Agent', 'Task', 'task', 'spawn_agent'],
  },
  fields: {
    command: ['command', 'cmd'],
    path: ['file_path', 'filePath', 'notebook_path', 'path'],
    prompt: 'prompt',
    agentType: 'subagent_type',
    description: 'description',
    resumes: 'task_id',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: false },
}

/** Any program that ACP carries. */
export const acpAgent: Program = /* @__PURE__ */ anyProgram(ACP)

/** Any program that AG-UI carries. */
export const agUiServer: Program = /* @__PURE__ */ anyProgram(AG_UI)

function anyProgram(protocol: Program['wire']): Program {
  return { ...ANY_PROGRAM, names: [protocol], wire: protocol }
}
