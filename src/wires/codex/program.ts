import type { ProgramFacts } from '../format.ts'

/** The names and the agent tools of Codex. */
export const codexProgram: ProgramFacts<'codex'> = {
  name: 'codex',
  programs: ['codex'],
  agentTools: ['spawn_agent'],
  agentCallFields: { name: 'agent_type', prompt: 'message', resumes: 'target' },
}
