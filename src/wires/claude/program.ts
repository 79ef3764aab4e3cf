import type { ProgramFacts } from '../format.ts'

/** The program's name for itself. No line states it. */
export const CLAUDE_CODE = 'claude-code'

/** The names and the agent tools of Claude Code and the Claude Agent SDK. */
export const claudeProgram: ProgramFacts<'claude-sdk'> = {
  name: 'claude-sdk',
  programs: [CLAUDE_CODE],
  // `Task` is the name up to 2.1.0. Later versions accept it as an alias.
  agentTools: ['Agent', 'Task'],
  agentCallFields: { name: 'subagent_type', prompt: 'prompt', resumes: 'resume' },
}
