import type { ProgramFacts } from '../format.ts'

/** The names and the agent tools of OpenCode. */
export const opencodeProgram: ProgramFacts<'opencode'> = {
  name: 'opencode',
  programs: ['opencode'],
  agentTools: ['task'],
  agentCallFields: { name: 'subagent_type', prompt: 'prompt', resumes: 'task_id' },
}
