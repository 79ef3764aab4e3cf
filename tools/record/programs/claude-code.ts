import type { ProgramCall, RecordedProgram } from '../program.ts'
import type { ScriptedCall } from '../script.ts'

/** Claude Code: `claude -p --output-format stream-json`. */
export const claudeCode: RecordedProgram = {
  name: 'claude-code',
  factName: 'claude-code',
  packages: ['@anthropic-ai/claude-code'],
  agentType: 'general-purpose',
  compactsBy: 'command',
  tools: { call },
  command: ({ installed, run, resumes }) => [
    `${installed}/node_modules/@anthropic-ai/claude-code-linux-x64/claude`,
    '-p',
    run.prompt,
    ...[
      '--output-format',
      'stream-json',
      '--verbose',
      '--include-partial-messages',
      '--forward-subagent-text',
    ],
    ...(run.refuses ? [] : ['--dangerously-skip-permissions']),
    ...(resumes ? ['--continue'] : []),
  ],
  environment: ({ home, url }) => ({
    CLAUDE_CONFIG_DIR: `${home}/.claude`,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'none',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // Root may skip permissions only in a sandbox.
    IS_SANDBOX: '1',
  }),
  stores: [['.claude/projects', 'store/projects']],
  forms: ({ runs }) => {
    const isKilled = runs.some(({ stop }) => stop === 'kill')
    return {
      // A text that a kill has cut is not in the file. One that the person has cut is.
      store: { lacks: ['reasoning', ...(isKilled ? ['cuts'] : [])] },
      stream: { lacks: ['reasoning', 'prompts', 'child-tokens'] },
    }
  },
  // Anthropic's API tells the input at the beginning of a reply, with one token of output.
  interruptedTokens: (tokens) => ({ ...tokens, output: 1 }),
  cannot: {},
}

function call(scripted: ScriptedCall, { work }: { readonly work: string }): ProgramCall {
  switch (scripted.does) {
    case 'command':
      return { name: 'Bash', input: { command: scripted.command, description: 'Run it' } }
    case 'read':
      return { name: 'Read', input: { file_path: `${work}/${scripted.path}` } }
    case 'write':
      return { name: 'Write', input: { file_path: `${work}/${scripted.path}`, content: scripted.content } }
    case 'edit':
      return {
        name: 'Edit',
        input: { file_path: `${work}/${scripted.path}`, old_string: scripted.from, new_string: scripted.to },
      }
    case 'agent': {
      const { description, prompt, background = false } = scripted
      const input = { description, prompt, subagent_type: 'general-purpose', run_in_background: background }
      return { name: 'Agent', input }
    }
  }
}
