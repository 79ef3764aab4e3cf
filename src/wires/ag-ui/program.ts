import type { ProgramFacts } from '../format.ts'

/** The value of `session.protocol` in a session that the protocol carried. */
export const AG_UI = 'ag-ui'

/** The names of the protocol. The protocol names no tool, so these are the common names of a call that starts an agent. */
export const agUiProgram: ProgramFacts<'ag-ui'> = {
  name: AG_UI,
  programs: [AG_UI],
  agentTools: ['Agent', 'Task', 'task'],
  agentCallFields: { name: 'subagent_type', prompt: 'prompt', resumes: 'task_id' },
}
