/** How keys of well-known services begin, and what follows. */
const VENDORS: readonly string[] = [
  String.raw`sk-[\w-]{16,}`, // OpenAI, Anthropic and others
  String.raw`[rs]k_(?:live|test)_\w{16,}`, // Stripe
  String.raw`whsec_[\w+/=]{20,}`,
  String.raw`gh[pousr]_\w{20,}`, // GitHub
  String.raw`github_pat_\w{20,}`,
  String.raw`gl(?:pat|rt|dt|cbt|ptt|ft|soat)-[\w-]{16,}`, // GitLab
  String.raw`npm_\w{30,}`,
  String.raw`pypi-[\w-]{30,}`,
  String.raw`rubygems_[\da-f]{40,}`,
  String.raw`xox[abeprs]-[\w-]{10,}`, // Slack
  String.raw`xapp-\d-[\w-]{20,}`,
  String.raw`A(?:KIA|SIA|BIA|CCA)[\dA-Z]{16}`, // AWS
  String.raw`AIza[\w-]{30,}`, // Google
  String.raw`ya29\.[\w-]{20,}`,
  String.raw`GOCSPX-[\w-]{20,}`,
  String.raw`SG\.[\w-]{16,}\.[\w-]{16,}`, // SendGrid
  String.raw`(?:AC|SK)[\da-f]{32}`, // Twilio
  String.raw`key-[\da-f]{32}`, // Mailgun
  'hf_[A-Za-z]{30,}', // Hugging Face
  String.raw`do[opr]_v1_[\da-f]{40,}`, // DigitalOcean
  String.raw`shp(?:at|ca|pa|ss)_[\da-fA-F]{32}`, // Shopify
  String.raw`sq0[a-z]{3}-[\w-]{20,}`, // Square
  String.raw`EAAA[\w-]{50,}`,
  String.raw`dapi[\da-f]{32}(?:-\d)?`, // Databricks
  String.raw`lin_api_\w{30,}`, // Linear
  String.raw`(?:secret|ntn)_[A-Za-z\d]{40,}`, // Notion
  String.raw`dp\.(?:pt|st|ct|sa)\.[\w.-]{30,}`, // Doppler
  String.raw`hv[sbr]\.[\w-]{20,}`, // Vault
  String.raw`AGE-SECRET-KEY-1[\dA-Z]{58}`,
  String.raw`ATATT[\w=-]{50,}`, // Atlassian
  String.raw`PMAK-[\da-f]{24}-[\da-f]{30,}`, // Postman
  String.raw`NRAK-[\dA-Z]{20,}`, // New Relic
  String.raw`gl(?:sa|c)_[\w=+/]{30,}`, // Grafana
  String.raw`sntry[su]_[\w+/=]{30,}`, // Sentry
  String.raw`sbp_[\da-f]{40}`, // Supabase
  String.raw`figd_[\w-]{30,}`, // Figma
  String.raw`pscale_(?:tkn|pw|oauth)_[\w.-]{30,}`, // PlanetScale
  String.raw`pat[A-Za-z\d]{14}\.[\da-f]{60,}`, // Airtable
  String.raw`\w{14}\.atlasv1\.[\w-]{50,}`, // Terraform
  String.raw`\d{8,10}:AA[\w-]{33}`, // Telegram
  String.raw`(?:Account|SharedAccess)Key=[\w+/]{40,}={0,2}`, // Azure
  String.raw`hooks\.slack\.com/services/[\w/]{20,}`,
  String.raw`discord(?:app)?\.com/api/webhooks/\d+/[\w-]{30,}`,
  String.raw`dckr_pat_[\w-]{20,}`, // Docker
  String.raw`gsk_\w{30,}`, // Groq
  String.raw`r8_\w{30,}`, // Replicate
  String.raw`pplx-\w{30,}`, // Perplexity
  String.raw`xai-\w{40,}`,
  String.raw`nfp_\w{30,}`, // Netlify
  String.raw`tskey-[\w-]{16,}`, // Tailscale
  String.raw`pul-[\da-f]{40}`, // Pulumi
  String.raw`LTAI[A-Za-z\d]{12,}`, // Alibaba
  String.raw`xkeysib-[\w-]{40,}`, // Brevo
  String.raw`dt0c01\.[\w.]{40,}`, // Dynatrace
  String.raw`ops_eyJ[\w-]{40,}`, // 1Password
  String.raw`[\da-f]{32}-us\d{1,2}`, // Mailchimp
]

/** Keys that can be told by how they begin, also behind a prefix: `notes_ghp_…` may be the name of a tool. */
export const VENDOR_KEY: RegExp = new RegExp(String.raw`(?<![A-Za-z\d])(?:${VENDORS.join('|')})`, 'g')

/** JSON Web Tokens, also cut off before the signature. */
export const JSON_WEB_TOKEN: RegExp = /(?<![A-Za-z\d])eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)*/g

/** A private key, also one that was cut off. In JSON its lines end with `\n`. */
export const PRIVATE_KEY: RegExp =
  /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----BEGIN)[^"]){0,20000}?(?:-----END [A-Z\d ]{0,40}-----|…)|(?:(?:\s|\\+[nr])+[A-Za-z\d+/=]{16,100})*)/g
