import { asObject, parseJson } from '../../../src/core/json/values.ts'
import type { RecordedProgram } from '../program.ts'
import { programFile } from '../program-file.ts'
import { type Run, stopOf } from '../script.ts'
import { PICTURE } from '../server/demo-tools.ts'
import { toolCalls } from '../tools.ts'

/** Claude Code: `claude -p --output-format stream-json`. */
export const claudeCode: RecordedProgram = {
  name: 'claude-code',
  factName: 'claude-code',
  packages: ['@anthropic-ai/claude-code'],
  agentType: 'general-purpose',
  compactsBy: 'command',
  tools: {
    call: toolCalls({
      command: (command) => ({ name: 'Bash', input: { command, description: 'Run it' } }),
      read: (path) => ({ name: 'Read', input: { file_path: path } }),
      write: (path, content) => ({ name: 'Write', input: { file_path: path, content } }),
      edit: (path, from, to) => ({
        name: 'Edit',
        input: { file_path: path, old_string: from, new_string: to },
      }),
      agent: ({ description, prompt, background = false }, offered) => ({
        name: offered.includes('Task') ? 'Task' : 'Agent',
        input: { description, prompt, subagent_type: 'general-purpose', run_in_background: background },
      }),
    }),
  },
  command: ({ installed, node, run, resumes, url, scenario }) => [
    ...claudeCommand(installed, node),
    '-p',
    ...(readsLines(run) ? ['--input-format', 'stream-json'] : [run.prompt]),
    ...[
      '--output-format',
      'stream-json',
      '--verbose',
      '--include-partial-messages',
      '--forward-subagent-text',
    ],
    ...(run.refuses ? [] : ['--dangerously-skip-permissions']),
    ...(resumes ? ['--continue'] : []),
    ...(run.isOtherModel ? ['--model', 'claude-haiku-4-5'] : []),
    ...(scenario.hasTools
      ? ['--mcp-config', JSON.stringify({ mcpServers: { demo: { type: 'http', url: `${url}/mcp` } } })]
      : []),
  ],
  input: ({ run }) => (readsLines(run) ? `${JSON.stringify(promptLine(run))}\n` : undefined),
  stopsAgent: (output, key) => {
    const tasks = output.split('\n').filter((line) => line.includes('"subtype":"task_started"'))
    const task = tasks
      .map((line) => asObject(parseJson(line)))
      .find(({ description }) => description === `Work of ${key}`)
    const request = { subtype: 'stop_task', task_id: task?.task_id }
    return `${JSON.stringify({ type: 'control_request', request_id: 'stop-1', request })}\n`
  },
  environment: ({ home, url }) => ({
    CLAUDE_CONFIG_DIR: `${home}/.claude`,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'none',
    DISABLE_AUTOUPDATER: '1',
    ENABLE_TOOL_SEARCH: 'false',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // Root may skip permissions only in a sandbox.
    IS_SANDBOX: '1',
  }),
  stores: [['.claude/projects', 'store/projects']],
  forms: (scenario) => {
    const stop = stopOf(scenario)
    // A text that a kill has cut is not in the file. One that the person has cut is, if it is not an agent's.
    const cuts = { kill: ['cuts'], agent: ['child-cuts'], interrupt: [] }
    return {
      store: { lacks: ['reasoning', ...(stop ? cuts[stop] : [])] },
      // The stream has whole messages of agents.
      stream: { lacks: ['reasoning', 'prompts', 'child-tokens', 'child-cuts'] },
    }
  },
  // Anthropic's API tells the input at the beginning of a reply, with one token of output.
  interruptedTokens: (tokens) => ({ ...tokens, output: 1 }),
  cannot: {},
}

/** Whether the process gets its prompt and requests as lines. */
function readsLines({ hasPicture, stop }: Run): boolean {
  return hasPicture === true || stop === 'agent'
}

function promptLine({ prompt, hasPicture }: Run) {
  const source = { type: 'base64', media_type: 'image/png', data: PICTURE }
  return {
    type: 'user',
    message: {
      role: 'user',
      content: [{ type: 'text', text: prompt }, ...(hasPicture ? [{ type: 'image', source }] : [])],
    },
  }
}

/** Returns the program. Early versions of it are a script. */
function claudeCommand(installed: string, node: string): readonly string[] {
  const file = programFile(
    installed,
    '@anthropic-ai/claude-code-linux-x64/claude',
    '@anthropic-ai/claude-code/cli.js',
  )
  return file.endsWith('.js') ? [node, file] : [file]
}
