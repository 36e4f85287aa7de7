{{- define "ferrule.name" -}}
{{ .Values.fullnameOverride | default .Values.nameOverride | default .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "ferrule.selector" -}}
app.kubernetes.io/name: ferrule
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "ferrule.labels" -}}
{{ include "ferrule.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- /* A map whose values are strings for Kubernetes, also where an operator wrote a number or a boolean. */ -}}
{{- define "ferrule.strings" -}}
{{- range $name, $value := . }}
{{ $name | quote }}: {{ if kindIs "string" $value }}{{ $value | quote }}{{ else }}{{ $value | toJson | quote }}{{ end }}
{{- end }}
{{- end }}

{{- /* Settings, as environment of a container. */ -}}
{{- define "ferrule.settings" -}}
{{- range $name, $value := .Values.config }}
- name: {{ $name }}
  value: {{ if kindIs "string" $value }}{{ $value | quote }}{{ else }}{{ $value | toJson | quote }}{{ end }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "ferrule.resources" -}}
{{- range $kind, $amounts := . }}
{{ $kind }}:
  {{- include "ferrule.strings" $amounts | nindent 2 }}
{{- end }}
{{- end }}

{{- define "ferrule.secretName" -}}
{{ .Values.secret.existingSecret | default (include "ferrule.name" .) }}
{{- end }}

{{- define "ferrule.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "ferrule.name" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end }}

{{- define "ferrule.image" -}}
{{- if .Values.image.digest -}}
{{ printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else -}}
{{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}
{{- end -}}
{{- end }}

{{- /* The secret's content: in the secret of the release, and in the one that lives as long as the migrations. */ -}}
{{- define "ferrule.secretData" -}}
{{- if not .Values.config.DATABASE_URL_FILE }}
DATABASE_URL: {{ required "secret.databaseUrl, secret.existingSecret or config.DATABASE_URL_FILE is needed" .Values.secret.databaseUrl | quote }}
{{- end }}
{{- if not .Values.config.FERRULE_MASTER_KEY_FILE }}
FERRULE_MASTER_KEY: {{ required "secret.masterKey, secret.existingSecret or config.FERRULE_MASTER_KEY_FILE is needed: openssl rand -base64 32" .Values.secret.masterKey | quote }}
{{- end }}
{{- if .Values.secret.contextDatabaseUrl }}
CONTEXT_DATABASE_URL: {{ .Values.secret.contextDatabaseUrl | quote }}
{{- end }}
{{- if .Values.secret.contextReadUrls }}
CONTEXT_READ_URLS: {{ .Values.secret.contextReadUrls | quote }}
{{- end }}
{{- if .Values.secret.previousMasterKeys }}
FERRULE_MASTER_KEY_PREVIOUS: {{ .Values.secret.previousMasterKeys | quote }}
{{- end }}
{{- if .Values.secret.operatorClientId }}
FERRULE_OPERATOR_CLIENT_ID: {{ .Values.secret.operatorClientId | quote }}
FERRULE_OPERATOR_CLIENT_SECRET: {{ required "secret.operatorClientSecret is needed with secret.operatorClientId" .Values.secret.operatorClientSecret | quote }}
{{- end }}
{{- end }}

{{- define "ferrule.secretSum" -}}
{{- if .Values.secret.existingSecret -}}
{{ .Values.secret.existingSecret }}
{{- else -}}
{{ include "ferrule.secretData" . | sha256sum }}
{{- end -}}
{{- end }}

{{- /* Where pods run: of nodes and of the migrations. Takes the values of a role. */ -}}
{{- define "ferrule.placement" -}}
{{- with .nodeSelector }}
nodeSelector:
  {{- include "ferrule.strings" . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{- define "ferrule.mounts" -}}
- name: data
  mountPath: /data
- name: temporary
  mountPath: /tmp
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "ferrule.volumes" -}}
- name: data
  emptyDir: {}
- name: temporary
  emptyDir: {}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
