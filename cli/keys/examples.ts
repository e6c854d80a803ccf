/** The examples in the help of `keys` and of each command below it. The ids stand for those that list and accounts show. */

const KEYS_EXAMPLES = [
  'create --name "our website"',
  'create --name "mobile app" --plan business --expires 2027-01-01 --store /srv/keys',
  'create --name shop --origin https://shop.example --only autocomplete,postcodes,check,nearby',
  'list --json',
  'replace key_ryzezvg41v28 --grace 24h',
  'export',
];

/** By the names of the commands. */
const COMMAND_EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  create: [
    'create --name "our website"',
    'create --name "mobile app" --plan business --expires 2027-01-01 --store /srv/keys',
    'create --name shop --origin https://shop.example --only autocomplete,postcodes,check,nearby',
    'create --account acct_r5ja31bemzkn',
  ],
  update: ['update key_ryzezvg41v28 --origin https://shop.example --visitor-rate 60/m'],
  list: ['list', 'list --store redis://localhost:6379/0 --json'],
  show: ['show key_ryzezvg41v28', 'show key_ryzezvg41v28 --json'],
  reveal: ['reveal key_ryzezvg41v28'],
  replace: ['replace key_ryzezvg41v28', 'replace key_ryzezvg41v28 --grace 24h'],
  revoke: ['revoke key_ryzezvg41v28'],
  'set-plan': ['set-plan key_ryzezvg41v28 business'],
  expire: [
    'expire key_ryzezvg41v28',
    'expire key_ryzezvg41v28 --at 2027-01-01T09:30+01:00',
    'expire key_ryzezvg41v28 --never',
  ],
  usage: ['usage key_ryzezvg41v28', 'usage key_ryzezvg41v28 --json'],
  export: ['export > keys.json', 'export --store /srv/keys > keys.json'],
  import: ['import keys.json', 'import - --store /srv/keys < keys.json'],
  accounts: ['accounts', 'accounts --json'],
  account: ['account acct_r5ja31bemzkn', 'account grace@example.com --json'],
  suspend: ['suspend acct_r5ja31bemzkn'],
  resume: ['resume acct_r5ja31bemzkn'],
  close: ['close acct_r5ja31bemzkn'],
};

/** The text behind the options in the help of `keys`, or of a command below it. */
export function keysExamples(command?: string): string {
  const calls = command === undefined ? KEYS_EXAMPLES : (COMMAND_EXAMPLES[command] ?? []);
  return `\nExamples:\n${calls.map((call) => `  postal-places keys ${call}`).join('\n')}`;
}
