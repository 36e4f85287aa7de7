{{- /* The nodes of one role. Takes a dict: root (the chart's scope), role (api or worker), node (the values of the role). */ -}}
{{- define "ferrule.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "ferrule.name" .root }}-{{ .role }}
  labels:
    {{- include "ferrule.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  {{- if not .node.autoscaling.enabled }}
  replicas: {{ .node.replicas }}
  {{- end }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  selector:
    matchLabels:
      {{- include "ferrule.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
  template:
    metadata:
      labels:
        {{- include "ferrule.labels" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .role }}
        {{- with .root.Values.podLabels }}
        {{- include "ferrule.strings" . | nindent 8 }}
        {{- end }}
      annotations:
        # New settings make new pods. A change in a secret of yours does not: restart the deployments yourself.
        ferrule/secret: {{ include "ferrule.secretSum" .root }}
        {{- with .root.Values.podAnnotations }}
        {{- include "ferrule.strings" . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "ferrule.serviceAccountName" .root }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ add .root.Values.shutdown.delaySeconds .root.Values.shutdown.seconds 40 }}
      {{- with .root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        {{- toYaml .root.Values.podSecurityContext | nindent 8 }}
      topologySpreadConstraints:
        {{- include "ferrule.spread" . | nindent 8 }}
      {{- with .root.Values.initContainers }}
      initContainers:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        {{- include "ferrule.container" . | nindent 8 }}
        {{- with .root.Values.extraContainers }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      volumes:
        {{- include "ferrule.volumes" .root | nindent 8 }}
      {{- include "ferrule.placement" .node | nindent 6 }}
      {{- with .root.Values.extraPodSpec }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
{{- end }}

{{- define "ferrule.container" -}}
- name: ferrule
  image: {{ include "ferrule.image" .root | quote }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  args: ["ferrule-server", "serve", "--role", {{ .role | quote }}]
  env:
    - name: FERRULE_SANDBOX
      value: "off"
    - name: FERRULE_SHUTDOWN_DELAY
      value: {{ .root.Values.shutdown.delaySeconds | quote }}
    - name: FERRULE_SHUTDOWN_SECONDS
      value: {{ .root.Values.shutdown.seconds | quote }}
    {{- include "ferrule.settings" .root | nindent 4 }}
  envFrom:
    - secretRef:
        name: {{ include "ferrule.secretName" .root }}
    {{- with .root.Values.extraEnvFrom }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  ports:
    - name: http
      containerPort: 8080
  startupProbe:
    httpGet:
      path: /health/live
      port: http
    periodSeconds: 2
    failureThreshold: 60
  livenessProbe:
    httpGet:
      path: /health/live
      port: http
    periodSeconds: 10
    timeoutSeconds: 3
    failureThreshold: 3
  readinessProbe:
    httpGet:
      path: /health/ready
      port: http
    periodSeconds: 5
    timeoutSeconds: 3
    failureThreshold: 2
  resources:
    {{- include "ferrule.resources" .node.resources | nindent 4 }}
  securityContext:
    {{- toYaml .root.Values.securityContext | nindent 4 }}
  volumeMounts:
    {{- include "ferrule.mounts" .root | nindent 4 }}
{{- end }}

{{- define "ferrule.spread" -}}
- maxSkew: 1
  topologyKey: kubernetes.io/hostname
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "ferrule.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
- maxSkew: 1
  topologyKey: topology.kubernetes.io/zone
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "ferrule.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "ferrule.disruption" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "ferrule.name" .root }}-{{ .role }}
  labels:
    {{- include "ferrule.labels" .root | nindent 4 }}
spec:
  maxUnavailable: {{ .node.maxUnavailable }}
  selector:
    matchLabels:
      {{- include "ferrule.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "ferrule.scaler" -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "ferrule.name" .root }}-{{ .role }}
  labels:
    {{- include "ferrule.labels" .root | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "ferrule.name" .root }}-{{ .role }}
  minReplicas: {{ .node.autoscaling.minReplicas }}
  maxReplicas: {{ .node.autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ .node.autoscaling.targetCPUUtilizationPercentage }}
{{- end }}
