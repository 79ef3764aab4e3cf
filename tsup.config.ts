import { mkdir, writeFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'
import { defineConfig, type Options } from 'tsup'
import { buildPage } from './examples/app/bundle.ts'
import { noticesOf, packagesIn } from './examples/app/notices.ts'

// The files are not minified, so source maps would show little more, and take a third of the package.
const shared: Options = { target: 'es2022', sourcemap: false, splitting: true, pure: ['Object.freeze'] }

/** The file of each entry point, by its name in `dist`. `package.json` and `vitest.config.ts` follow this list. */
export const entry: Readonly<Record<string, string>> = {
  index: 'src/index.ts',
  claude: 'src/wires/claude/index.ts',
  opencode: 'src/wires/opencode/index.ts',
  codex: 'src/wires/codex/index.ts',
  pi: 'src/wires/pi/index.ts',
  gemini: 'src/wires/gemini/index.ts',
  kimi: 'src/wires/kimi/index.ts',
  qwen: 'src/wires/qwen/index.ts',
  acp: 'src/acp.ts',
  copilot: 'src/wires/copilot/index.ts',
  cline: 'src/wires/cline/index.ts',
  'ai-sdk': 'src/sinks/ai-sdk/index.ts',
  'ag-ui': 'src/ag-ui.ts',
  markdown: 'src/sinks/markdown/index.ts',
  otel: 'src/sinks/otel/index.ts',
  writers: 'src/sinks/writers/index.ts',
  atif: 'src/sinks/atif/index.ts',
  parity: 'src/parity/index.ts',
  identity: 'src/identity/index.ts',
  lineage: 'src/lineage/index.ts',
  conversations: 'src/conversations/index.ts',
  sync: 'src/sync/index.ts',
  hub: 'src/hub/index.ts',
  log: 'src/log/index.ts',
  redis: 'src/log/redis/index.ts',
  react: 'src/react/index.ts',
  node: 'src/node/index.ts',
  testing: 'src/testing/index.ts',
  arbitraries: 'src/testing/arbitraries/index.ts',
}

const library: Options = {
  ...shared,
  // Bundlers drop a whole file more surely than its parts. So a module that is often imported alone, or that needs a
  // CommonJS package, gets a file of its own.
  entry: { ...entry, reducer: 'src/reducer/reduce.ts', canonical: 'src/identity/canonical.ts' },
  dts: { entry: { ...entry } },
}

const config: Options[] = [
  { ...library, format: 'esm' },
  { ...library, format: 'cjs' },
  {
    ...shared,
    entry: { cli: 'src/cli/main.ts' },
    format: 'esm',
    platform: 'node',
    dts: false,
    // The packages that only the command needs are development dependencies, so they become part of its files, and no server installs them. Some are CommonJS.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    esbuildPlugins: [{ name: 'notices', setup: writeNotices }],
    // `agentfold serve` and `agentfold show --html` read it.
    onSuccess: writePage,
  },
]

/** Writes the licences of the packages that are part of the command's files. */
function writeNotices({ initialOptions, onEnd }: Parameters<Plugin['setup']>[0]): void {
  initialOptions.metafile = true
  onEnd(async ({ metafile }) => {
    if (!metafile) return
    await mkdir('dist', { recursive: true })
    await writeFile(
      'dist/cli-licences.txt',
      `${await noticesOf('The command agentfold', packagesIn(metafile))}\n`,
    )
  })
}

async function writePage(): Promise<void> {
  // A build into another folder makes no `dist`.
  await mkdir('dist', { recursive: true })
  await writeFile('dist/page.html', await buildPage())
}

export default defineConfig(config) as Options[]
