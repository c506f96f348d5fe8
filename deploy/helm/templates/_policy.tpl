{{- /*
Changes the spec of a NetworkPolicy: the namespaces, and the ports of the databases, that the values name.
Takes `values`, `name` and `spec`; writes nothing.
*/ -}}
{{- define "pressroom.policy" -}}
{{- $values := .values -}}
{{- $spec := .spec -}}
{{- $key := "kubernetes.io/metadata.name" -}}
{{- $own := $values.networkPolicies -}}
{{- $namespaces := dict "traefik" $own.ingressNamespace "monitoring" $own.monitoringNamespace -}}
{{- range concat ($spec.ingress | default list) ($spec.egress | default list) -}}
  {{- range concat (.from | default list) (.to | default list) -}}
    {{- $labels := dig "namespaceSelector" "matchLabels" dict . -}}
    {{- with get $namespaces (get $labels $key) }}{{ $_ := set $labels $key . }}{{ end -}}
  {{- end -}}
{{- end -}}
{{- if eq .name "databases" -}}
  {{- $redis := get (urlParse $values.redis.url) "host" | regexFind ":\\d+$" | trimPrefix ":" | default "6379" -}}
  {{- $ports := list -}}
  {{- range list $values.database.port $redis | uniq }}{{ $ports = append $ports (dict "port" (int .) "protocol" "TCP") }}{{ end -}}
  {{- range $spec.egress }}{{ $_ := set . "ports" $ports }}{{ end -}}
{{- end -}}
{{- end -}}
