import { useAppState } from "../state";

export function Window() {
  const servers = useAppState((state) => state.servers);
  return <p>{servers.length}</p>;
}
