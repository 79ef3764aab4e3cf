import type { RecordedProgram } from '../program.ts'
import { programFile } from '../program-file.ts'
import { stopOf } from '../script.ts'
import { toolCalls } from '../tools.ts'

/** Returns the script that unpacks Grok Build. */
export function grokFile(installed: string): string {
  return programFile(installed, '@xai-official/grok/bin/grok-bootstrap.js', '@xai-official/grok/bin/grok')
}

/** Grok Build: `grok -p --output-format streaming-json`. */
export const grok: RecordedProgram = {
  name: 'grok',
  factName: 'grok',
  packages: ['@xai-official/grok'],
  agentType: 'general-purpose',
  compactsBy: 'command',
  tools: {
    call: toolCalls({
      command: (command) => ({ name: 'run_terminal_command', input: { command, description: 'Run it' } }),
      read: (path) => ({ name: 'read_file', input: { target_file: path } }),
      write: (path, content) => ({ name: 'write', input: { file_path: path, content } }),
      edit: (path, from, to) => ({
        name: 'search_replace',
        input: { file_path: path, old_string: from, new_string: to },
      }),
      hidden: (tool, input) => ({
        name: 'use_tool',
        input: { tool_name: `demo__${tool}`, tool_input: input },
      }),
      agent: ({ description, prompt, background }) => ({
        name: 'spawn_subagent',
        input: { prompt, description, background: background === true },
      }),
    }),
  },
  // The package unpacks its binary into the home folder first.
  command: ({ installed, node, run, resumes }) => [
    node,
    grokFile(installed),
    ...['-p', run.prompt, '--output-format', 'streaming-json', '--no-auto-update', '--yolo'],
    ...(resumes ? ['--continue'] : []),
  ],
  environment: () => ({ CI: '1', USER: 'demo', SCRIPT_KEY: 'none' }),
  homeFiles: ({ url, scenario }) => ({
    '.grok/config.toml': `${configuration(url)}${scenario.hasTools ? `\n[mcp_servers.demo]\nurl = "${url}/mcp"\n` : ''}`,
  }),
  stores: [['.grok/sessions', 'store/.grok/sessions']],
  forms: (scenario) => ({
    store: { lacks: stopOf(scenario) === 'kill' ? ['cuts', 'tokens'] : stopOf(scenario) ? ['tokens'] : [] },
    stream: { lacks: ['prompts', 'child-links'] },
  }),
  keepsCutTexts: true,
  cannot: {
    picture: 'its command line has only the name of a file',
    'other-model': 'its configuration has one model',
    background: 'the program ends before the turn that a report starts',
    interruption: 'the script that starts its binary does not pass the signal on',
    nested: 'its agents start no agents unless a setting allows it',
    resume: 'it asks the model twice when it resumes, and drops one answer, which no script foresees',
    refusal: '`grok -p` asks nobody',
    compaction: 'its command line has no command for it',
  },
}

function configuration(url: string): string {
  return `[models]
default = "script"

[model.script]
model = "script"
base_url = "${url}/v1"
name = "Script"
env_key = "SCRIPT_KEY"
context_window = 128000

[marketplace]
default_skills_installs_purged = true
`
}
