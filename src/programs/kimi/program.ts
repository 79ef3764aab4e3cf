import type { Program, ProgramStorage } from '../program.ts'

/** The tool that starts an agent, or resumes one. */
export const AGENT = 'Agent'

/** The tool that starts or resumes several agents at once. */
export const AGENT_SWARM = 'AgentSwarm'

/** Kimi Code. */
export const kimi: Program = {
  names: ['kimi', 'Kimi Code CLI', 'kimi-code'],
  wire: 'kimi',
  tools: {
    command: ['Bash', 'TaskOutput', 'WaitFor'],
    read: ['Read', 'ReadMediaFile'],
    edit: ['Edit', 'Write'],
    search: ['Grep', 'Glob'],
    web: ['WebSearch', 'FetchURL'],
    todo: ['TodoList'],
    planMode: ['EnterPlanMode', 'ExitPlanMode'],
    question: ['AskUserQuestion'],
    agent: [AGENT],
    agentControl: [AGENT_SWARM, 'TaskList', 'TaskStop'],
  },
  fields: {
    command: ['command'],
    path: ['path'],
    prompt: 'prompt',
    agentType: 'subagent_type',
    description: 'description',
    resumes: 'resume',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: false },
  resumeCommand: ['kimi', '--session'],
  // `sessions/<workspace>/<session>/agents/main/wire.jsonl`
}

export const kimiStorage: ProgramStorage = {
  isPrivate: true,
  folders: ({ home, variables }) => [
    { path: `${variables.KIMI_CODE_HOME || `${home}/.kimi-code`}/sessions`, depth: 4 },
  ],
}
