import type { ProgramFacts } from '../format.ts'

/** The value of `session.protocol` in a session that the protocol carried. */
export const ACP = 'acp'

/** The names of the protocol. Each agent has a name of its own, so a session's `protocol` shows that ACP carried it. */
export const acpProgram: ProgramFacts<'acp'> = {
  name: ACP,
  programs: [ACP],
  agentTools: ['Agent', 'Task', 'task', 'spawn_agent'],
  agentCallFields: { name: 'subagent_type', prompt: 'prompt', resumes: 'task_id' },
}
