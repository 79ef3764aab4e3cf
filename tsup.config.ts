import { mkdir, writeFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'
import { defineConfig, type Options } from 'tsup'
import manifest from './package.json' with { type: 'json' }
import { buildPage, REPORT } from './tools/page/bundle.ts'
import { noticesOf, packagesIn } from './tools/page/notices.ts'

// The files are not minified, so source maps would show little more, and take a third of the package.
const shared: Options = {
  target: 'es2022',
  sourcemap: false,
  splitting: true,
  pure: ['Object.freeze'],
}

/** The file of each entry point, by its name in `dist`. The exports of the package name them, and `vitest.config.ts` follows. */
export const entry: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(manifest.exports)
    .filter((path) => path !== './package.json')
    .map((path) => (path === '.' ? 'index' : (path.split('/').at(-1) ?? path)))
    .map((name) => [name, `src/entries/${name}.ts`]),
)

const library: Options = {
  ...shared,
  // Bundlers drop a whole file more surely than its parts. So a module that is often imported alone, or that needs a
  // CommonJS package, gets a file of its own.
  entry: { ...entry, reducer: 'src/core/reducer/reduce.ts', canonical: 'src/core/identity/canonical.ts' },
  dts: { entry: { ...entry } },
}

const config: Options[] = [
  { ...library, format: 'esm' },
  // CommonJS has no address of a module, and refuses a file that asks for it.
  { ...library, format: 'cjs', define: { 'import.meta.url': 'undefined' } },
  {
    ...shared,
    // The library starts the worker, too.
    entry: { cli: 'src/cli/main.ts', 'session-index-worker': 'src/node/session-index/worker.ts' },
    format: 'esm',
    platform: 'node',
    dts: false,
    // The packages that only the command needs are development dependencies, so they become part of its files, and no server installs them.
    plugins: [{ name: 'require', renderChunk: addRequire }],
    esbuildPlugins: [{ name: 'notices', setup: writeNotices }],
    // `agentfold serve` and `agentfold show --html` read it.
    onSuccess: writePage,
  },
]

/** Gives the files with packages of CommonJS a `require`. It takes a while to make one, so no other file has it. */
function addRequire(code: string): { readonly code: string } | undefined {
  if (!/\brequire\b/.test(code)) return undefined
  return { code: code.replace(/^(#!.*\n)?/, `$1${REQUIRE}\n`) }
}

const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);"

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
  await writeFile('dist/report.html', await buildPage({ source: REPORT }))
}

export default defineConfig(config) as Options[]
