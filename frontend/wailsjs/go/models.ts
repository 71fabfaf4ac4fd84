export namespace api {
	
	export interface About {
	    version: string;
	    dataDir: string;
	    platform: string;
	}
	export interface Account {
	    issuer: string;
	    resource: string;
	    clientId: string;
	    source: string;
	    redirect: string;
	    redirectUri: string;
	    scopesRequested: string[];
	    scopesGranted: string[];
	    expiresAt: string;
	    renews: boolean;
	    kept: boolean;
	    updatedAt: string;
	}
	export interface Answer {
	    action: string;
	    content: string;
	}
	export interface Ask {
	    id: string;
	    serverId: string;
	    serverName: string;
	    endpoint: string;
	    callId: string;
	    callName: string;
	    callEnded: boolean;
	    arguments: string;
	    mode: string;
	    message: string;
	    schema: string;
	    url: string;
	    host: string;
	    sampling: string;
	    openedAt: string;
	    closed: boolean;
	    outcome: string;
	    reason: string;
	}
	export interface AskOutcome {
	    mode: string;
	    action: string;
	}
	export interface AskWindow {
	    ask: Ask;
	    behind: number;
	    theme: string;
	}
	export interface SignInConfig {
	    mode: string;
	    redirect: string;
	    clientId: string;
	    issuer: string;
	    authMethod: string;
	    clientSecret: string;
	    hasSecret: boolean;
	    privateKey: string;
	    hasKey: boolean;
	    scopes: string[];
	    resource: string;
	    omitResource: boolean;
	    noConsent: boolean;
	    noOffline: boolean;
	}
	export interface Variable {
	    name: string;
	    value: string;
	    secret: boolean;
	    hasValue: boolean;
	}
	export interface Config {
	    name: string;
	    transport: string;
	    url: string;
	    headers: Variable[];
	    command: string;
	    args: string[];
	    env: Variable[];
	    cwd: string;
	    era: string;
	    enabled: boolean;
	    trustLocalNetwork: boolean;
	    maxAttempts: number;
	    connectMs: number;
	    discoveryMs: number;
	    callIdleMs: number;
	    callTotalMs: number;
	    roots: string[];
	    logLevel: string;
	    signIn: SignInConfig;
	}
	export interface Link {
	    config: Config;
	    notes: string[];
	    error?: Failure;
	}
	export interface Vault {
	    state: string;
	    mode: string;
	    detail: string;
	    hint: string;
	    sealed: number;
	}
	export interface Trouble {
	    kind: string;
	    message: string;
	    hint: string;
	    count: number;
	}
	export interface LogMessage {
	    level: string;
	    logger: string;
	    text: string;
	}
	export interface Message {
	    n: string;
	    serverId: string;
	    time: string;
	    dir: string;
	    kind: string;
	    method: string;
	    rpcId: string;
	    callId: string;
	    pair: string;
	    era: string;
	    summary: string;
	    bytes: number;
	    latencyMs: number;
	    http: number;
	    problem: string;
	}
	export interface Progress {
	    progress: number;
	    total: number;
	    message: string;
	}
	export interface Call {
	    id: string;
	    serverId: string;
	    kind: string;
	    name: string;
	    arguments: string;
	    outcome: string;
	    startedAt: string;
	    durationMs: number;
	    progress?: Progress;
	    idleUntil: string;
	    totalUntil: string;
	    size: number;
	    result: string;
	    resultUrl: string;
	    error?: Failure;
	    problems: Problem[];
	    violations: FieldError[];
	    asks: AskOutcome[];
	    pinned: boolean;
	}
	export interface Review {
	    source: string;
	    hash: string;
	}
	export interface HTTPExchange {
	    method: string;
	    url: string;
	    sent: string;
	    status: number;
	    received: string;
	    error: string;
	    tookMs: number;
	}
	export interface SignInStep {
	    name: string;
	    state: string;
	    detail: string;
	    startedAt: string;
	    tookMs: number;
	    exchanges: HTTPExchange[];
	}
	export interface SignIn {
	    id: string;
	    state: string;
	    detail: string;
	    startedAt: string;
	    deadline: string;
	    issuer: string;
	    host: string;
	    redirect: string;
	    redirectUri: string;
	    scopes: string[];
	    url: string;
	    opened: boolean;
	    steps: SignInStep[];
	    error?: Failure;
	}
	export interface Problem {
	    code: string;
	    serverId: string;
	    subject: string;
	    message: string;
	}
	export interface FieldError {
	    pointer: string;
	    message: string;
	}
	export interface Failure {
	    code: string;
	    message: string;
	    hint: string;
	    exitCode?: number;
	    stderr?: string[];
	    fields?: FieldError[];
	}
	export interface Counts {
	    tools: number;
	    prompts: number;
	    resources: number;
	    templates: number;
	}
	export interface ServerInfo {
	    name: string;
	    title: string;
	    version: string;
	}
	export interface Server {
	    id: string;
	    name: string;
	    transport: string;
	    url: string;
	    command: string;
	    args: string[];
	    endpoint: string;
	    enabled: boolean;
	    updatedAt: string;
	    state: string;
	    detail: string;
	    generation: string;
	    actualTransport: string;
	    era: string;
	    protocolVersion: string;
	    serverInfo: ServerInfo;
	    instructions: string;
	    capabilities: string[];
	    pid: number;
	    latencyMs: number;
	    counts: Counts;
	    catalogVersion: string;
	    attempts: number;
	    maxAttempts: number;
	    retryAt: string;
	    error?: Failure;
	    problems: Problem[];
	    signIn?: SignIn;
	    account?: Account;
	    review?: Review;
	}
	export interface Event {
	    seq: string;
	    type: string;
	    serverId: string;
	    server?: Server;
	    call?: Call;
	    ask?: Ask;
	    message?: Message;
	    log?: LogMessage;
	    trouble?: Trouble;
	    uri?: string;
	    text?: string;
	}
	export interface Batch {
	    events: Event[];
	    dropped: number;
	    merged?: number;
	    vault?: Vault;
	    link?: Link;
	}
	
	export interface CallRequest {
	    id: string;
	    serverId: string;
	    kind: string;
	    name: string;
	    arguments: string;
	    idleMs: number;
	    totalMs: number;
	}
	export interface Template {
	    uriTemplate: string;
	    name: string;
	    title: string;
	    description: string;
	    mimeType: string;
	    variables: string[];
	    raw: string;
	}
	export interface Resource {
	    uri: string;
	    name: string;
	    title: string;
	    description: string;
	    mimeType: string;
	    size: number;
	    raw: string;
	}
	export interface PromptArgument {
	    name: string;
	    title: string;
	    description: string;
	    required: boolean;
	}
	export interface Prompt {
	    name: string;
	    title: string;
	    description: string;
	    arguments: PromptArgument[];
	    raw: string;
	}
	export interface Tool {
	    name: string;
	    title: string;
	    description: string;
	    key: string;
	    inputSchema: string;
	    outputSchema: string;
	    readOnly: string;
	    destructive: string;
	    idempotent: string;
	    openWorld: string;
	    raw: string;
	}
	export interface Catalog {
	    serverId: string;
	    version: string;
	    tools: Tool[];
	    prompts: Prompt[];
	    resources: Resource[];
	    templates: Template[];
	}
	export interface CompleteRequest {
	    serverId: string;
	    kind: string;
	    name: string;
	    argument: string;
	    value: string;
	    context: Record<string, string>;
	}
	export interface Completion {
	    values: string[];
	    total: number;
	    hasMore: boolean;
	}
	
	
	export interface Step {
	    name: string;
	    title: string;
	    status: string;
	    durationMs: number;
	    detail: string;
	    hint: string;
	}
	export interface Diagnosis {
	    serverId: string;
	    steps: Step[];
	    failed: string;
	    error?: Failure;
	    era: string;
	    protocolVersion: string;
	    stderr: string[];
	    problems: Problem[];
	    durationMs: number;
	}
	
	
	
	
	export interface Header {
	    name: string;
	    value: string;
	}
	export interface HTTPHead {
	    method: string;
	    url: string;
	    protocol: string;
	    status: number;
	    requestHeaders: Header[];
	    responseHeaders: Header[];
	    waitMs: number;
	    error: string;
	}
	
	export interface HistoryFilter {
	    serverId: string;
	    kind: string;
	    name: string;
	    text: string;
	    pinned: boolean;
	    before: string;
	    limit: number;
	}
	
	
	
	export interface MessageDetail {
	    message: Message;
	    http?: HTTPHead;
	}
	export interface Parsed {
	    kind: string;
	    servers: Config[];
	    notes: string[];
	}
	
	
	
	
	
	export interface Retention {
	    calls: number;
	    days: number;
	    megabytes: number;
	}
	
	export interface SavedCall {
	    name: string;
	    serverId: string;
	    kind: string;
	    item: string;
	    arguments: string;
	}
	export interface Scheme {
	    registered: boolean;
	    supported: boolean;
	    detail: string;
	}
	
	
	export interface Settings {
	    theme: string;
	    askWindow: string;
	    density: string;
	}
	
	
	export interface SignInInput {
	    confirm: boolean;
	    address: string;
	    browserError: boolean;
	    clientId: string;
	    clientSecret: string;
	    openAgain: boolean;
	}
	
	export interface Snapshot {
	    seq: string;
	    servers: Server[];
	    asks: Ask[];
	    calls: Call[];
	    troubles: Trouble[];
	    settings: Settings;
	    about: About;
	    vault: Vault;
	    scheme: Scheme;
	    link?: Link;
	}
	
	
	
	export interface TraceFilter {
	    serverId: string;
	    callId: string;
	    dir: string;
	    kind: string;
	    method: string;
	    errors: boolean;
	    text: string;
	    after: string;
	    limit: number;
	}
	
	

}

