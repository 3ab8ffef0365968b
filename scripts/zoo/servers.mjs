/**
 * Servers that people use, each with calls that need neither an account nor the network. `args` and `env` are what
 * the server needs to start; `DIR` stands for an empty folder of its own. A key in `env` that a server insists on is
 * made up: without the network nobody reads it.
 */
const MADE_UP = 'zoo-made-up-key'

const npm = (name, spec, more = {}) => ({ name, from: 'npm', package: spec, calls: [], ...more })
const pypi = (name, spec, more = {}) => ({ name, from: 'pypi', package: spec, calls: [], ...more })

export const SERVERS = [
  npm('everything', '@modelcontextprotocol/server-everything', {
    calls: [
      ['echo', { message: 'hello' }],
      ['get-sum', { a: 2, b: 3 }],
      ['get-structured-content', { location: 'Chicago' }],
    ],
  }),
  npm('filesystem', '@modelcontextprotocol/server-filesystem', {
    args: ['DIR'],
    calls: [
      ['write_file', { path: 'DIR/a.txt', content: 'one\ntwo\n' }],
      ['read_text_file', { path: 'DIR/a.txt' }],
      ['list_directory', { path: 'DIR' }],
    ],
  }),
  npm('memory', '@modelcontextprotocol/server-memory', {
    env: { MEMORY_FILE_PATH: 'DIR/memory.jsonl' },
    calls: [['read_graph', {}]],
  }),
  npm('sequential-thinking', '@modelcontextprotocol/server-sequential-thinking', {
    calls: [
      [
        'sequentialthinking',
        { thought: 'One', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      ],
    ],
  }),
  npm('pdf', '@modelcontextprotocol/server-pdf', { args: ['--stdio'], calls: [['list_pdfs', {}]] }),
  npm('map', '@modelcontextprotocol/server-map', { args: ['--stdio'] }),
  npm('playwright', '@playwright/mcp', {
    args: ['--headless', '--isolated', '--no-sandbox', '--executable-path', 'CHROMIUM'],
    calls: [['browser_navigate', { url: 'about:blank' }]],
  }),
  npm('chrome-devtools', 'chrome-devtools-mcp', {
    args: ['--headless', '--isolated', '--chrome-arg=--no-sandbox', '--executablePath', 'CHROMIUM'],
    calls: [['list_pages', {}]],
  }),
  npm('context7', '@upstash/context7-mcp'),
  npm('notion', '@notionhq/notion-mcp-server', { env: { NOTION_TOKEN: MADE_UP } }),
  npm('sentry', '@sentry/mcp-server', { args: [`--access-token=${MADE_UP}`] }),
  npm('supabase', '@supabase/mcp-server-supabase', {
    args: [`--access-token=${MADE_UP}`],
    note: 'reads its list of tools from the network, so nothing could be compared',
  }),
  npm('tavily', 'tavily-mcp', { env: { TAVILY_API_KEY: MADE_UP } }),
  npm('exa', 'exa-mcp-server', { env: { EXA_API_KEY: MADE_UP } }),
  npm('firecrawl', 'firecrawl-mcp', { env: { FIRECRAWL_API_KEY: MADE_UP } }),
  npm('brave-search', '@brave/brave-search-mcp-server', { env: { BRAVE_API_KEY: MADE_UP } }),
  npm('kubernetes', 'mcp-server-kubernetes', { calls: [['ping', {}]] }),
  npm('eslint', '@eslint/mcp', { calls: [['lint-files', { filePaths: ['DIR/a.js'] }]] }),
  npm('figma', 'figma-developer-mcp', { args: ['--stdio', `--figma-api-key=${MADE_UP}`] }),
  npm('chart', '@antv/mcp-server-chart'),
  npm('github', '@modelcontextprotocol/server-github', { env: { GITHUB_PERSONAL_ACCESS_TOKEN: MADE_UP } }),
  npm('code-runner', 'mcp-server-code-runner', {
    calls: [['run-code', { code: 'console.log(6 * 7)', languageId: 'javascript' }]],
  }),
  npm('mongodb', 'mongodb-mcp-server', {
    env: { MDB_MCP_TELEMETRY: 'disabled' },
    calls: [['list-knowledge-sources', {}]],
  }),
  npm('hubspot', '@hubspot/mcp-server', { env: { PRIVATE_APP_ACCESS_TOKEN: MADE_UP } }),
  npm('mapbox', '@mapbox/mcp-server', { env: { MAPBOX_ACCESS_TOKEN: 'pk.eyJ1Ijoiem9vIn0.zoo' } }),
  npm('git', '@cyanheads/git-mcp-server', { env: { MCP_TRANSPORT_TYPE: 'stdio' } }),
  npm('mui', '@mui/mcp'),
  npm('n8n', 'n8n-mcp', { env: { MCP_MODE: 'stdio', LOG_LEVEL: 'error', DISABLE_CONSOLE_OUTPUT: 'true' } }),
  npm('shopify-dev', '@shopify/dev-mcp'),
  npm('stripe', '@stripe/mcp', {
    args: ['--api-key=rk_test_zoo'],
    note: 'passes everything on to a server of Stripe, so it cannot answer without the network',
  }),
  pypi('time', 'mcp-server-time', {
    args: ['--local-timezone', 'UTC'],
    calls: [['convert_time', { source_timezone: 'UTC', time: '12:00', target_timezone: 'Asia/Tokyo' }]],
  }),
  pypi('fetch', 'mcp-server-fetch', { calls: [['fetch', { url: 'http://127.0.0.1:9/nothing' }]] }),
  pypi('git-python', 'mcp-server-git', {
    script: 'mcp-server-git',
    calls: [['git_status', { repo_path: 'DIR' }]],
  }),
  pypi('sqlite', 'mcp-server-sqlite', {
    with: ['mcp<2'],
    note: 'needs `mcp<2`: it asks for any version of the Python SDK and does not start with 2',
    args: ['--db-path', 'DIR/zoo.db'],
    calls: [
      ['create_table', { query: 'CREATE TABLE IF NOT EXISTS animals (name TEXT)' }],
      ['list_tables', {}],
    ],
  }),
  pypi('calculator', 'mcp-server-calculator', { calls: [['calculate', { expression: '6 * 7' }]] }),
  pypi('duckduckgo', 'duckduckgo-mcp-server'),
  pypi('aws-documentation', 'awslabs.aws-documentation-mcp-server', {
    env: { FASTMCP_LOG_LEVEL: 'ERROR' },
  }),
  pypi('excel', 'excel-mcp-server', {
    args: ['stdio'],
    calls: [['create_workbook', { filepath: 'DIR/a.xlsx' }]],
  }),
  pypi('wikipedia', 'wikipedia-mcp'),
  pypi('shell', 'mcp-shell-server', {
    env: { ALLOW_COMMANDS: 'echo' },
    calls: [['shell_execute', { command: ['echo', 'hello'], directory: 'DIR' }]],
  }),
  pypi('alchemy', 'mcp-alchemy', {
    env: { DB_URL: 'sqlite:///DIR/zoo.db' },
    calls: [['all_table_names', {}]],
  }),
]
