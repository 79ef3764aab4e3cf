import { type AcpMode, overAcp } from '../acp-session.ts'
import { codexAppServer } from '../codex-session.ts'
import type { RecordedProgram } from '../program.ts'
import { isRefused } from '../script.ts'
import { UNKNOWN_TOOL } from '../tools.ts'
import { cline } from './cline.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { gemini, geminiFile } from './gemini.ts'
import { grok, grokFile } from './grok.ts'
import { kimi } from './kimi.ts'
import { qwen, qwenFile } from './qwen.ts'

const MODES: readonly (readonly [RecordedProgram, AcpMode])[] = [
  [
    gemini,
    {
      command: ({ node, installed }) => [node, geminiFile(installed), ...['--acp', '-m', 'gemini-2.5-pro']],
      authMethod: 'gemini-api-key',
      modeId: 'yolo',
      form: 'acp',
      lacks: ['tokens', 'children', 'names', 'inputs', 'result-texts', 'todos'],
      lacksCalls: [UNKNOWN_TOOL],
      store: 'acp-store',
      can: ['picture'],
    },
  ],
  [
    qwen,
    {
      command: ({ node, installed, scenario }) => [
        node,
        qwenFile(installed),
        '--acp',
        ...['--approval-mode', isRefused(scenario) ? 'default' : 'yolo'],
      ],
      form: 'acp',
      lacks: ['child-prompts', 'pictures'],
      lacksInnerAgents: true,
      store: 'store',
      storeLacks: ['prompt-pictures'],
      can: ['picture'],
    },
  ],
  [
    copilot,
    {
      command: ({ node, installed, scenario }) => [
        node,
        `${installed}/node_modules/@github/copilot/npm-loader.js`,
        '--acp',
        ...(isRefused(scenario) ? [] : ['--allow-all-tools', '--allow-all-paths']),
      ],
      form: 'acp',
      lacks: ['tokens', 'names', 'pictures', 'child-prompts', 'child-links'],
      store: 'acp-store',
      can: ['picture'],
    },
  ],
  [
    kimi,
    {
      command: ({ node, installed }) => [
        node,
        `${installed}/node_modules/@moonshot-ai/kimi-code/dist/main.mjs`,
        'acp',
      ],
      modeId: 'yolo',
      form: 'rpc',
      lacks: ['children', 'tokens'],
      store: 'store',
      can: ['picture'],
      cannot: { queue: 'it refuses a prompt while a turn runs' },
    },
  ],
  [
    cline,
    {
      command: ({ installed }) => [`${installed}/node_modules/.bin/cline`, '--acp'],
      environment: { CLINE_API_KEY: 'none', CLINE_PROVIDER: 'openai-compatible', CLINE_MODEL: 'script' },
      form: 'rpc',
      lacks: ['prompts', 'child-links', 'tokens'],
      store: 'store',
      storeLacks: ['prompt-pictures'],
      can: ['picture', 'resume'],
      cannot: {
        parallel: 'the work of all agents is one flat stream',
        failure: 'its answer to the prompt is the error of the agent',
      },
    },
  ],
  [
    grok,
    {
      command: ({ node, installed }) => [
        node,
        grokFile(installed),
        ...['agent', '--no-leader', '--always-approve', 'stdio'],
      ],
      form: 'rpc',
      lacks: [],
      store: 'store',
      can: ['picture', 'resume', 'interruption'],
    },
  ],
]

/**
 * Returns the program as a client records it: over the Agent Client Protocol, or the app-server of Codex. Undefined if the program serves no client.
 */
export function acpOf(program: RecordedProgram): RecordedProgram | undefined {
  if (program === codex) return codexAppServer
  const mode = MODES.find(([each]) => each === program)?.[1]
  return mode && overAcp(program, mode)
}
